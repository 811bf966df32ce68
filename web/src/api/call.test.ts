import "#testing/dom.ts";
import { afterEach, beforeEach, describe, expect, spyOn, test } from "bun:test";
import { logout } from "@tollgate/contract/endpoints/sign-in.ts";
import { readStatus } from "@tollgate/contract/endpoints/status.ts";
import {
  removeToken,
  revealToken,
  searchTokens,
  updateTokenStatus,
} from "@tollgate/contract/endpoints/tokens.ts";
import { call, type CallError, encodeCall, provideRefusalTexts } from "./call.ts";
import { keepSession, onSessionExpired, readSession } from "./session.ts";

const alice = {
  id: 7,
  username: "alice",
  display_name: "",
  role: 1,
  status: 1,
  group: "default",
} as const;

test("each field travels in the path if the path names it, else in the query or the body", () => {
  expect(encodeCall(removeToken, { id: 5 })).toEqual({ url: "/api/token/5", body: null });
  expect(encodeCall(searchTokens, { keyword: "50% off", p: 1, token: undefined })).toEqual({
    url: "/api/token/search?keyword=50%25+off&p=1",
    body: null,
  });
  expect(encodeCall(updateTokenStatus, { id: 5, status: 2 })).toEqual({
    url: "/api/token/?status_only=true",
    body: '{"id":5,"status":2}',
  });
  expect(encodeCall(revealToken, { id: 5 }).url).toBe("/api/token/5/key");
});

describe("an answer", () => {
  let answer: () => Promise<Response> | Response;
  let sent: Request[];
  const fetched = spyOn(globalThis, "fetch");
  beforeEach(() => {
    sent = [];
    keepSession(alice);
    fetched.mockImplementation((async (url: string, init: RequestInit) => {
      sent.push(new Request(new URL(url, "http://gateway.test"), init));
      return await answer();
    }) as unknown as typeof fetch); // safe cast: `call` passes an address and options
  });
  afterEach(() => keepSession(null));

  const no = (status: number, body: object): Response =>
    Response.json(body, { status, headers: { "x-oneapi-request-id": "r-1" } });

  async function failure(): Promise<CallError> {
    return await call(readStatus, {}).then(
      () => {
        throw new Error("succeeded");
      },
      (error: CallError) => error,
    );
  }

  test("is asked for under the id of the user who is signed in now (A-096 A-097)", async () => {
    answer = () => Response.json({ success: true, message: "" });
    await call(logout, {});
    keepSession({ ...alice, id: 8 });
    await call(logout, {});
    keepSession(null);
    await call(logout, {});
    expect(sent.map(({ headers }) => headers.get("new-api-user"))).toEqual(["7", "8", "-1"]);
    expect(sent.every(({ method }) => method === "POST")).toBe(true);
  });

  test("that is a refusal is thrown with its message (A-384 A-385)", async () => {
    answer = () => no(200, { success: false, message: "令牌名称不能为空", field: "name" });
    expect(await failure()).toMatchObject({
      message: "令牌名称不能为空",
      status: 200,
      requestId: "r-1",
      field: "name",
    });
  });

  test("that is a refusal is thrown once the texts that show it are loaded, or cannot be", async () => {
    answer = () => no(200, { success: false, message: "令牌名称不能为空" });
    const steps: string[] = [];
    const loaded = Promise.withResolvers<void>();
    provideRefusalTexts(async () => {
      steps.push("asked for");
      await loaded.promise;
      steps.push("loaded");
    });
    const failed = failure().then(() => steps.push("thrown"));
    while (steps.length === 0) await new Promise((done) => setTimeout(done, 1));
    loaded.resolve();
    await failed;
    expect(steps).toEqual(["asked for", "loaded", "thrown"]);
    provideRefusalTexts(async () => await Promise.reject(new TypeError("offline")));
    expect(await failure()).toMatchObject({ message: "令牌名称不能为空" });
    provideRefusalTexts(async () => undefined);
  });

  test("from something that is not our server is a failure too", async () => {
    answer = () => new Response("<html>proxy</html>", { status: 502 });
    expect(await failure()).toMatchObject({ status: 502, requestId: null });
    // An HTTP success from a foreign server has the status text "OK", which must not become the
    // message.
    answer = () => new Response("<html>portal</html>", { status: 200, statusText: "OK" });
    expect(await failure()).toMatchObject({ status: 200, message: "" });
    answer = () => Response.json({ success: true, message: "", data: { version: 1 } });
    await expect(call(readStatus, {})).rejects.toThrow();
  });

  // A network failure or a server error must not end the session.
  test("a 401 that was asked for before the user signed in again leaves the new session alone", async () => {
    let refuse = (): void => {};
    answer = () =>
      new Promise<Response>((resolve) => {
        refuse = () => resolve(no(401, { success: false, message: "无权进行此操作" }));
      });
    const late = failure();
    const ended: boolean[] = [];
    const stop = onSessionExpired(() => ended.push(true));
    keepSession({ ...alice });
    refuse();
    expect((await late).status).toBe(401);
    stop();
    expect([ended, readSession()?.id]).toEqual([[], alice.id]);
  });

  test("401 alone ends the session, and its listeners are called once", async () => {
    let expired = 0;
    const forget = onSessionExpired(() => (expired += 1));
    answer = () => Promise.reject(new TypeError("network"));
    expect(await failure()).toMatchObject({ status: 0 });
    for (const status of [403, 429, 500, 503]) {
      answer = () => no(status, { success: false, message: "no" });
      expect((await failure()).status).toBe(status);
    }
    expect([expired, readSession()]).toEqual([0, alice]);

    answer = () => no(401, { success: false, message: "无权进行此操作" });
    await Promise.all([failure(), failure()]);
    expect([expired, readSession()]).toEqual([1, null]);
    forget();
  });
});
