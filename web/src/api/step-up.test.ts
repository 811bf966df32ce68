import "#testing/dom.ts";
import { afterEach, beforeEach, expect, spyOn, test } from "bun:test";
import { readSecondFactors, stepUp } from "@tollgate/contract/endpoints/second-factor.ts";
import { createAccessToken } from "@tollgate/contract/endpoints/sign-in.ts";
import { call } from "./call.ts";
import { keepSession, onSessionExpired, readSession } from "./session.ts";
import { provideStepUp } from "./step-up.ts";

const alice = {
  id: 7,
  username: "alice",
  display_name: "",
  role: 1,
  status: 1,
  group: "",
} as const;

/**
 * Plays a server with one valid session cookie at a time, which refuses to create an access token
 * (428) until the second factor is proved again.
 */
function openServer() {
  const server = { cookie: 0, isFresh: false, sent: [] as string[], hold: Promise.resolve() };
  const no = (status: number, message: string) =>
    Response.json({ success: false, message }, { status });
  const answer = async (url: string): Promise<Response> => {
    const cookie = server.cookie;
    server.sent.push(url);
    if (url === "/api/user/2fa/verify") {
      server.cookie += 1;
      server.isFresh = true;
      return Response.json({ success: true, message: "" });
    }
    if (url === "/api/user/2fa") {
      // The test may let this call wait until the session has a new cookie; the old cookie is then
      // refused.
      await server.hold;
      if (cookie !== server.cookie) return no(401, "expired");
      return Response.json({ success: true, message: "", data: factors });
    }
    return server.isFresh
      ? Response.json({ success: true, message: "", data: "token" })
      : no(428, "请先完成两步验证");
  };
  return { server, answer };
}

const factors = {
  enabled: true,
  totp: true,
  passkeys: [],
  recovery_codes_left: 10,
  asks_password: true,
  passkeys_available: false,
};

const fetched = spyOn(globalThis, "fetch");
let server: ReturnType<typeof openServer>["server"];
let asked = 0;

beforeEach(() => {
  keepSession(alice);
  asked = 0;
  const opened = openServer();
  ({ server } = opened);
  // Safe cast: `call` passes an address and options, the only form this function supports.
  fetched.mockImplementation(
    (async (url: string) => await opened.answer(url)) as unknown as typeof fetch,
  );
});
afterEach(() => {
  provideStepUp(() => Promise.resolve(false));
  keepSession(null);
  fetched.mockReset();
});

const count = (url: string): number => server.sent.filter((one) => one === url).length;

test("promises 6.5: calls refused for want of a fresh proof ask once, and are sent again by themselves", async () => {
  provideStepUp(async () => {
    asked += 1;
    // Waits one turn of the event loop, so that the other call is refused as well before the proof.
    await new Promise((resolve) => setTimeout(resolve, 0));
    await call(stepUp, { code: "123456" });
    return true;
  });
  const both = await Promise.all([call(createAccessToken, {}), call(createAccessToken, {})]);
  expect([both, asked]).toEqual([["token", "token"], 1]);
  expect(count("/api/user/token")).toBe(4);
});

test("a call whose refusal arrives after the proof is sent again without a question", async () => {
  let release = () => {};
  provideStepUp(async () => {
    asked += 1;
    await call(stepUp, { code: "123456" });
    return true;
  });
  const late = Promise.withResolvers<undefined>();
  release = () => late.resolve(undefined);
  const real = fetched.getMockImplementation();
  let isFirst = true;
  fetched.mockImplementation((async (url: string, init: RequestInit) => {
    const response = await real?.(url, init);
    if (isFirst && url === "/api/user/token") {
      isFirst = false;
      await late.promise;
    }
    return response;
  }) as unknown as typeof fetch);
  const first = call(createAccessToken, {});
  const second = await call(createAccessToken, {});
  release();
  expect([second, await first, asked]).toEqual(["token", "token", 1]);
});

test("a user who cancels the proof gets the refusal, and is asked again only at the next call", async () => {
  provideStepUp(async () => {
    asked += 1;
    return false;
  });
  await expect(call(createAccessToken, {})).rejects.toMatchObject({ status: 428 });
  expect([count("/api/user/token"), asked]).toEqual([1, 1]);
  await expect(call(createAccessToken, {})).rejects.toMatchObject({ status: 428 });
  expect(asked).toBe(2);
});

// A server retires the old session cookie while calls that were sent with it are still under way.
test("P-A5: a new session cookie does not sign out a user whose calls were on their way", async () => {
  let expired = 0;
  const forget = onSessionExpired(() => (expired += 1));
  const held = Promise.withResolvers<undefined>();
  server.hold = held.promise.then(() => undefined);
  const reading = call(readSecondFactors, {});
  await call(stepUp, { code: "123456" });
  held.resolve(undefined);
  expect(await reading).toMatchObject({ recovery_codes_left: 10 });
  expect([expired, readSession()]).toEqual([0, alice]);

  // A 401 without a renewed cookie ends the session immediately.
  const real = fetched.getMockImplementation();
  expect(real).toBeDefined();
  fetched.mockImplementation((async () =>
    Response.json({ success: false, message: "" }, { status: 401 })) as unknown as typeof fetch);
  await expect(call(readSecondFactors, {})).rejects.toMatchObject({ status: 401 });
  expect([expired, readSession()]).toEqual([1, null]);
  forget();
});
