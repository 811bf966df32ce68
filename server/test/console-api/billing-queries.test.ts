import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { testDialects } from "#db/testing/database.ts";
import { addToken, addUser, type ConsoleClient } from "#test/console.ts";
import { chat } from "#test/proof/chat-call.ts";
import { type Installation, openInstallation, setOption } from "#test/proof/installation.ts";

/** A call has 17 input and 20 output tokens, which cost 37 quota units. */
const model = { name: "billed", script: { promptTokens: 17, events: 20 }, ratio: 1 };

const opening = 2_000_000;
const unlimited = 100_000_000;

for (const dialect of testDialects) {
  describe(`billing queries on ${dialect}`, () => {
    let place: Installation;
    let user: ConsoleClient;
    beforeAll(async () => {
      place = await openInstallation(dialect, { models: [model] });
      user = await addUser(place.root, place.origin, opening);
    });
    afterAll(async () => await place.close());

    const ask = async (key: string, path: string): Promise<Response> =>
      await fetch(place.origin + path, {
        headers: { authorization: `Bearer ${key}`, origin: "https://elsewhere.example" },
      });
    const limitOf = async (key: string): Promise<unknown> =>
      Object(await (await ask(key, "/dashboard/billing/subscription")).json()).hard_limit_usd;
    const usageOf = async (key: string): Promise<unknown> =>
      await (await ask(key, "/v1/dashboard/billing/usage?start_date=2026-01-01")).json();

    test("every billing path tells a key its own limit, expiry and usage in dollars", async () => {
      const expired_time = Math.floor(Date.now() / 1_000) + 86_400;
      const token = { unlimited_quota: false, remain_quota: 1_000_000, expired_time };
      const { key } = await addToken(user, token);
      const limits = { soft_limit_usd: 2, hard_limit_usd: 2, system_hard_limit_usd: 2 };
      for (const prefix of ["", "/v1"]) {
        for (const end of ["", "/"]) {
          const answer = await ask(key, `${prefix}/dashboard/billing/subscription${end}`);
          expect(answer.status).toBe(200);
          expect(answer.headers.get("access-control-allow-origin")).toBe("*");
          expect(await answer.json()).toEqual({
            object: "billing_subscription",
            has_payment_method: true,
            ...limits,
            access_until: expired_time,
          });
          const usage = await ask(key, `${prefix}/dashboard/billing/usage${end}`);
          expect(await usage.json()).toEqual({ object: "list", total_usage: 0 });
        }
      }

      expect((await chat(place.origin, { key, model: model.name, stream: false })).status).toBe(
        200,
      );
      // The reported limit stays the same after a call. Usage is reported separately, in hundredths
      // of a dollar.
      expect(await limitOf(key)).toBe(2);
      expect(await usageOf(key)).toEqual({ object: "list", total_usage: (37 / 500_000) * 100 });
    });

    test("options choose the token's limits or its owner's, in dollars or quota units", async () => {
      const { key } = await addToken(user, { unlimited_quota: true });
      expect(await limitOf(key)).toBe(unlimited);
      await setOption(place.root, "DisplayTokenStatEnabled", "false");
      expect(await limitOf(key)).toBe(opening / 500_000);
      expect(await usageOf(key)).toEqual({ object: "list", total_usage: (37 / 500_000) * 100 });
      await setOption(place.root, "DisplayInCurrencyEnabled", "false");
      expect(await limitOf(key)).toBe(opening);
      expect(await usageOf(key)).toEqual({ object: "list", total_usage: 3_700 });
      await setOption(place.root, "DisplayInCurrencyEnabled", "true");
      await setOption(place.root, "DisplayTokenStatEnabled", "true");
    });

    test("a missing or invalid key is refused in the same way as for calls", async () => {
      for (const key of ["", "sk-nobody"]) {
        const answer = await ask(key, "/v1/dashboard/billing/subscription");
        expect([answer.status, await answer.json()]).toEqual([
          401,
          { error: expect.objectContaining({ type: "new_api_error" }) },
        ]);
      }
    });

    test("a key can ask sixty times a minute, and its calls go on", async () => {
      const { key } = await addToken(user);
      const statuses: number[] = [];
      for (let asked = 0; asked < 61; asked += 1) {
        statuses.push((await ask(key, "/dashboard/billing/usage")).status);
      }
      expect(statuses).toEqual([...Array<number>(60).fill(200), 429]);
      expect((await chat(place.origin, { key, model: model.name, stream: false })).status).toBe(
        200,
      );
    });

    test("a gateway of ours can read the balance of a channel that leads to another of ours", async () => {
      const token = { unlimited_quota: false, remain_quota: 1_000_000 };
      const { key } = await addToken(user, token);
      await place.root.call("POST", "/api/channel/", {
        name: "upstream of ours",
        type: 1,
        key,
        base_url: place.origin,
        models: "m",
        group: "default",
      });
      const [row] = await place.root.call<{ id: number }[]>(
        "GET",
        "/api/channel/search?keyword=of%20ours",
      );
      const path = `/api/channel/update_balance/${row?.id}/`;
      expect(await place.root.send<object>("GET", path)).toEqual(
        expect.objectContaining({ success: true, message: "", balance: 2 }),
      );
    });
  });
}
