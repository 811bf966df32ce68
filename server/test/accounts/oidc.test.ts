import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from "jose";
import { testDialects } from "#db/testing/database.ts";
import { openTestConsole, type TestConsole } from "./open-console.ts";
import { type Browser, openBrowser, stateOf } from "./play-providers.ts";

type Keys = Awaited<ReturnType<typeof generateKeyPair>>;

/** What the provider answers: an id token for a code, and a profile for the access token. */
type Person = { readonly idToken: string | undefined; readonly profile: object };

const people = new Map<string, Person>();
const asked: URLSearchParams[] = [];
let published: object[] = [];
let keyRequests = 0;

const provider = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  async fetch(request): Promise<Response> {
    const { origin, pathname } = new URL(request.url);
    switch (pathname) {
      case "/.well-known/openid-configuration":
        return Response.json({
          issuer: origin,
          jwks_uri: `${origin}/keys`,
          token_endpoint: `${origin}/token`,
          userinfo_endpoint: `${origin}/user`,
        });
      case "/keys":
        keyRequests += 1;
        return Response.json({ keys: published });
      case "/token": {
        const form = new URLSearchParams(await request.text());
        asked.push(form);
        const code = form.get("code") ?? "";
        const id_token = people.get(code)?.idToken;
        return Response.json({ access_token: code, ...(id_token ? { id_token } : {}) });
      }
      default: {
        const token = request.headers.get("authorization")?.replace("Bearer ", "") ?? "";
        return Response.json(people.get(token)?.profile ?? {});
      }
    }
  },
});
const issuer = provider.url.origin;

let gateway: TestConsole;
let keys: Keys;
let client = 0;
const settings = {
  "oidc.enabled": "true",
  "oidc.client_id": "gateway",
  "oidc.client_secret": "a secret",
  "oidc.well_known": `${issuer}/.well-known/openid-configuration`,
  ServerAddress: "https://gate.example.org",
};

const publish = async (pair: Keys, kid: string): Promise<void> => {
  published = [{ ...(await exportJWK(pair.publicKey)), kid, alg: "ES256", use: "sig" }];
};
afterAll(async () => await provider.stop(true));

async function sign(claims: JWTPayload, pair = keys, kid = "first"): Promise<string> {
  const now = Math.floor(gateway.clock.nowMs / 1_000);
  const all = { iss: issuer, aud: "gateway", iat: now, exp: now + 300, ...claims };
  return await new SignJWT(all).setProtectedHeader({ alg: "ES256", kid }).sign(pair.privateKey);
}

/** Makes a code for which the provider answers this id token and profile. */
function newCode(idToken: string | undefined, profile: object): string {
  const code = crypto.randomUUID();
  people.set(code, { idToken, profile });
  return code;
}

const visitor = (): Browser => openBrowser(gateway, `198.51.100.${client}`);
async function comeBack(idToken: string | undefined, profile: object, browser = visitor()) {
  const state = await stateOf(browser);
  const code = newCode(idToken, profile);
  return await browser.get(`/api/oauth/oidc?code=${code}&state=${state}`);
}
const rowOf = async (data: unknown) =>
  await gateway.db
    .selectFrom("users")
    .selectAll()
    .where("id", "=", Number(Object(data).id))
    .executeTakeFirstOrThrow();

for (const dialect of testDialects) {
  describe(`signing in by OpenID Connect, on ${dialect}`, () => {
    beforeAll(async () => {
      gateway = await openTestConsole(dialect);
      keys = await generateKeyPair("ES256");
      await publish(keys, "first");
    });
    beforeEach(() => {
      client += 1;
      // The clock moves by an hour, after which the gateway fetches the provider's keys again.
      gateway.clock.nowMs += 3_600_000;
      gateway.setOptions(settings);
    });
    afterAll(async () => await gateway.close());

    test("a signed id token signs in; name and a verified address come from the profile", async () => {
      const profile = {
        sub: "s-1",
        name: "Some One",
        preferred_username: "someone",
        email: "Someone@example.com",
        email_verified: true,
      };
      const { body } = await comeBack(await sign({ sub: "s-1" }), profile);
      expect(body).toMatchObject({ success: true });
      expect(await rowOf(body.data)).toMatchObject({
        username: "someone",
        display_name: "Some One",
        oidc_id: "s-1",
        email: "someone@example.com",
      });
      expect(Object.fromEntries(asked.at(-1) ?? [])).toMatchObject({
        client_id: "gateway",
        client_secret: "a secret",
        grant_type: "authorization_code",
        redirect_uri: "https://gate.example.org/oauth/oidc",
      });
      const again = await comeBack(await sign({ sub: "s-1" }), {
        ...profile,
        sub: "s-1",
        name: "New",
      });
      expect(Object(again.body.data).id).toBe(Object(body.data).id);
    });

    test("an unverified address is not saved, even if the id token verifies another one", async () => {
      const token = await sign({ sub: "s-2", email: "a@example.com", email_verified: true });
      const { body } = await comeBack(token, { sub: "s-2", email: "victim@example.com" });
      expect(await rowOf(body.data)).toMatchObject({ email: "a@example.com" });
      const plain = await comeBack(await sign({ sub: "s-3", email: "b@example.com" }), {
        sub: "s-3",
      });
      expect(await rowOf(plain.body.data)).toMatchObject({ email: "" });
    });

    test("a name that is taken, too long or an e-mail address is replaced", async () => {
      for (const [sub, name] of [
        ["s-4", "someone"],
        ["s-5", "a name much too long"],
        ["s-6", "me@example.c"],
      ] as const) {
        const { body } = await comeBack(await sign({ sub }), { sub, preferred_username: name });
        expect((await rowOf(body.data)).username).toMatch(/^oidc_\d+$/);
      }
    });

    test("an id token of another issuer, audience, time or person is refused", async () => {
      const other = await generateKeyPair("ES256");
      const now = Math.floor(gateway.clock.nowMs / 1_000);
      const secret = new TextEncoder().encode("a secret".padEnd(32));
      const bad = {
        forged: await sign({ sub: "x" }, other),
        "of another issuer": await sign({ sub: "x", iss: "https://evil.example" }),
        "for another client": await sign({ sub: "x", aud: "somebody else" }),
        expired: await sign({ sub: "x", exp: now - 120 }),
        "without a subject": await sign({}),
        "signed by the client's secret": await new SignJWT({
          sub: "x",
          iss: issuer,
          aud: "gateway",
        })
          .setProtectedHeader({ alg: "HS256" })
          .setIssuedAt(now)
          .setExpirationTime(now + 300)
          .sign(secret),
        unsigned: `${btoa('{"alg":"none"}')}.${btoa('{"sub":"x"}')}.`.replaceAll("=", ""),
        "no token": "nonsense",
      };
      for (const [name, idToken] of Object.entries(bad)) {
        const { status, body } = await comeBack(idToken, { sub: "x" });
        expect([name, status, body.success]).toEqual([name, 200, false]);
      }
      const none = await comeBack(undefined, { sub: "x" });
      expect(none.body.success).toBe(false);
      const mixed = await comeBack(await sign({ sub: "x" }), { sub: "somebody else" });
      expect(mixed.body.success).toBe(false);
      expect((await comeBack(await sign({ sub: "x" }), { sub: "x" })).body.success).toBe(true);
    });

    test("the nonce must be the state that the browser was sent with", async () => {
      const browser = visitor();
      const state = await stateOf(browser);
      const mine = newCode(await sign({ sub: "n", nonce: state }), { sub: "n" });
      expect((await browser.get(`/api/oauth/oidc?code=${mine}&state=${state}`)).body.success).toBe(
        true,
      );
      browser.cookies.delete("__Host-sid");
      // A thief enters a stolen code in the thief's own browser. The code's nonce is of another
      // sign-in, so it is refused.
      const stolen = newCode(await sign({ sub: "n", nonce: state }), { sub: "n" });
      const own = await stateOf(browser);
      expect((await browser.get(`/api/oauth/oidc?code=${stolen}&state=${own}`)).body.success).toBe(
        false,
      );
    });

    test("keys are cached, and fetched again when the provider has new ones", async () => {
      await comeBack(await sign({ sub: "k" }), { sub: "k" });
      const before = keyRequests;
      const next = await generateKeyPair("ES256");
      await publish(next, "second");
      gateway.clock.nowMs += 31_000;
      const { body } = await comeBack(await sign({ sub: "k" }, next, "second"), { sub: "k" });
      expect(body.success).toBe(true);
      expect(keyRequests).toBe(before + 1);
      await publish(keys, "first");
      gateway.clock.nowMs += 31_000;
      expect((await comeBack(await sign({ sub: "k" }), { sub: "k" })).body.success).toBe(true);
    });

    test("without a discovery address the configured endpoints are enough", async () => {
      const { "oidc.well_known": _, ...older } = settings;
      gateway.setOptions({
        ...older,
        "oidc.token_endpoint": `${issuer}/token`,
        "oidc.user_info_endpoint": `${issuer}/user`,
      });
      const { body } = await comeBack(undefined, { sub: "s-1", name: "Some One" });
      expect(body.success).toBe(true);
      // A profile with the same issuer and subject belongs to the same account.
      expect((await rowOf(body.data)).username).toBe("someone");
      gateway.setOptions(older);
      expect((await comeBack(undefined, { sub: "s-1" })).body.message).toContain("OIDC");
    });

    test("a changed address keeps its account; a new owner of the old address does not get it", async () => {
      const mail = (email: string) => ({ email, email_verified: true });
      const first = await comeBack(await sign({ sub: "m-1", ...mail("one@example.com") }), {
        sub: "m-1",
      });
      const moved = await comeBack(await sign({ sub: "m-1", ...mail("two@example.com") }), {
        sub: "m-1",
      });
      expect(Object(moved.body.data).id).toBe(Object(first.body.data).id);
      expect(await rowOf(first.body.data)).toMatchObject({ email: "one@example.com" });
      const heir = await comeBack(await sign({ sub: "m-2", ...mail("one@example.com") }), {
        sub: "m-2",
      });
      expect(Object(heir.body.data).id).not.toBe(Object(first.body.data).id);
      expect(await rowOf(heir.body.data)).toMatchObject({ email: "" });
    });
  });
}
