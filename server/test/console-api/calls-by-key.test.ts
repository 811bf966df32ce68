import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { z } from "zod";
import { testDialects } from "#db/testing/database.ts";
import { chat } from "#test/proof/chat-call.ts";
import { type Installation, openInstallation } from "#test/proof/installation.ts";
import { type OneApiConsole, openPages, type Page } from "./one-api-console.ts";
import type * as shapes from "./shapes.ts";

type Token = z.infer<typeof shapes.token>;

/** A call has 17 input and 20 output tokens, which cost 37 quota units. */
const model = { name: "contract", script: { promptTokens: 17, events: 20 }, ratio: 1 };

for (const dialect of testDialects) {
  describe(`calls by key on ${dialect}`, () => {
    let place: Installation;
    let root: Page;
    let alice: Page;
    beforeAll(async () => {
      place = await openInstallation(dialect, { models: [model], channel: { name: "main" } });
      const site: Omit<OneApiConsole, "close" | "gateway"> = await openPages(place.origin);
      ({ root } = site);
      alice = await site.user("alice");
      await root.data("PUT", "/api/user/", { id: alice.userId, quota_delta: 1_000_000 });
    });
    afterAll(async () => await place.close());

    const settings = { remain_quota: 500_000, expired_time: -1 };
    const addToken = async (name: string, part: object = {}): Promise<Token> =>
      await alice.data("POST", "/api/token/", { ...settings, name, ...part });
    const readToken = async (id: number): Promise<Token> =>
      await alice.data("GET", `/api/token/${id}`);

    test("a page of another origin reads usage and log of a key by `Authorization`, without cookies", async () => {
      const { id, key } = await addToken("asked", {
        remain_quota: 1_000_000,
        model_limits_enabled: true,
        model_limits: `${model.name},other`,
      });
      const call = await chat(place.origin, { key: `sk-${key}`, model: model.name, stream: false });
      expect(call.status).toBe(200);
      const origin = "https://query.example.com";
      const ask = async (path: string, headers: Record<string, string>, method = "GET") => {
        const response = await fetch(place.origin + path, {
          method,
          headers: { origin, ...headers },
        });
        const text = await response.text();
        return {
          status: response.status,
          headers: response.headers,
          body: text && JSON.parse(text),
        };
      };
      const bearer = { authorization: `Bearer sk-${key}` };
      for (const path of ["/api/log/token", "/api/usage/token/", "/api/usage/token"]) {
        const before = await ask(
          path,
          {
            "access-control-request-method": "GET",
            "access-control-request-headers": "authorization,x-any",
          },
          "OPTIONS",
        );
        expect(before.status).toBe(204);
        expect(before.headers.get("access-control-allow-headers")).toBe("authorization,x-any");
        const answers = [
          await ask(path, bearer),
          await ask(`${path}?key=sk-${key}`, {}),
          await ask(`${path}?key=${key}`, bearer),
          await ask(path, {}),
          await ask(`${path}?key=other`, bearer),
        ];
        expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 401, 400]);
        for (const { headers } of [before, ...answers]) {
          expect(headers.get("access-control-allow-origin")).toBe("*");
          expect(headers.get("access-control-allow-credentials")).toBeNull();
        }
        expect(answers[1]?.body).toEqual(answers[0]?.body);
      }
      expect((await ask("/api/log/token", bearer)).body).toMatchObject({
        success: true,
        data: [{ token_name: "asked", quota: 37 }],
      });
      const usage = {
        object: "token_usage",
        name: "asked",
        total_granted: 1_000_000,
        total_used: 37,
        total_available: 999_963,
        unlimited_quota: false,
        model_limits: { [model.name]: true, other: true },
        model_limits_enabled: true,
        expires_at: 0,
        key_ends_at: 0,
        budgets: [],
      };
      const asked = async () => (await ask("/api/usage/token/", bearer)).body;
      expect(await asked()).toEqual({ code: true, message: "ok", data: usage });

      // Usage can still be read with an exhausted key, but not with a disabled one.
      await alice.data("PUT", "/api/token/", { ...(await readToken(id)), remain_quota: 0 });
      expect((await asked()).data).toMatchObject({ total_available: 0, total_granted: 37 });
      await alice.data("PUT", "/api/token/?status_only=true", { id, status: 2 });
      expect(await asked()).toMatchObject({ success: false });
      const others = await ask("/api/user/self", bearer);
      expect(others.headers.get("access-control-allow-origin")).toBeNull();
      expect((await ask("/api/user/self", {}, "OPTIONS")).status).toBe(404);
    });

    test("a key asks about its own calls, and not about those of others", async () => {
      const { key } = await addToken("asking", { unlimited_quota: true });
      const other = await addToken("other", { unlimited_quota: true });
      const call = await chat(place.origin, { key: `sk-${key}`, model: model.name, stream: false });
      const { headers } = call;
      expect(headers.get("x-tollgate-cost")).toBe("0.000074");
      const ask = async (sent: string, id: string | undefined) => {
        const answer = await fetch(`${place.origin}/v1/generation?id=${id}`, {
          headers: { authorization: `Bearer sk-${sent}` },
        });
        return [answer.status, await answer.json()] as const;
      };
      const id = headers.get("x-request-id");
      const [status, body] = await ask(key, id);
      expect(status).toBe(200);
      expect(body).toEqual({
        data: {
          id,
          model: model.name,
          created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
          streamed: false,
          tokens_prompt: 17,
          tokens_completion: 20,
          generation_time: expect.any(Number),
          quota: 37,
          total_cost: 0.000074,
          usage: 0.000074,
        },
      });
      const unknown = { error: { code: "generation_not_found" } };
      for (const [sent, asked] of [
        [other.key, id],
        [key, "20200101000000000nothing"],
        [key, "x"],
      ]) {
        expect(await ask(sent ?? "", asked)).toMatchObject([404, unknown]);
      }
    });

    test("every key that may not be queried is refused in the same words", async () => {
      const bad = [
        await addToken("off"),
        await addToken("late", { expired_time: 1_000_000_000 }),
        await addToken("elsewhere", { allow_ips: "203.0.113.7" }),
        await addToken("denied", { deny_ips: "127.0.0.1\n::1" }),
        await addToken("gone"),
      ];
      await alice.data("PUT", "/api/token/?status_only=true", { id: bad[0]?.id, status: 2 });
      await alice.data("DELETE", `/api/token/${bad[4]?.id}`);
      const keys = [...bad.map(({ key }) => key), "unknown", "x".repeat(300)];
      for (const path of ["/api/log/token", "/api/usage/token/"]) {
        for (const key of keys) {
          const headers = { authorization: `Bearer sk-${key}`, "accept-language": "en" };
          const answer = await fetch(place.origin + path, { headers });
          expect([answer.status, await answer.json()]).toEqual([
            401,
            { success: false, message: "The API key is invalid, or cannot be used now" },
          ]);
        }
      }
    });

    test("a replaced key works beside the new one until it ends; both find the token's usage and log", async () => {
      const { id, key: old } = await addToken("rotated", {
        budget_day: 400_000,
        budget_month: 450_000,
      });
      const call = async (key: string) => {
        const answer = await chat(place.origin, {
          key: `sk-${key}`,
          model: model.name,
          stream: false,
        });
        return answer.status;
      };
      const ask = async (path: string, key: string) => {
        const headers = { authorization: `Bearer sk-${key}` };
        const answer = await fetch(place.origin + path, { headers });
        const body: { data: Record<string, unknown> } = JSON.parse(await answer.text());
        return body.data;
      };
      expect(await call(old)).toBe(200);
      const rotated: Token = await alice.data("POST", `/api/token/${id}/rotate`, {
        old_key_seconds: 3_600,
      });
      expect([await call(old), await call(rotated.key)]).toEqual([200, 200]);
      for (const key of [old, rotated.key]) {
        const usage = await ask("/api/usage/token/", key);
        expect(usage).toMatchObject({
          total_used: 3 * 37,
          key_ends_at: key === old ? rotated.old_key_ends_at : 0,
          budgets: [
            { window: "day", limit: 400_000, spent: 111 },
            { window: "month", limit: 450_000, spent: 111 },
          ],
        });
        const rows = await ask("/api/log/token", key);
        expect(rows["length"]).toBe(3);
      }
      const found = await root.data<{ items: unknown[] }>("POST", "/api/log/new/", { key: old });
      expect(found.items.length).toBe(3);

      await alice.data("POST", `/api/token/${id}/old-key/end`);
      const refused = await chat(place.origin, {
        key: `sk-${old}`,
        model: model.name,
        stream: false,
      });
      expect([refused.status, refused.text]).toEqual([
        401,
        expect.stringContaining("This key was replaced by a new one; use the new one"),
      ]);
      expect(await call(rotated.key)).toBe(200);
    });

    test("queries by key are limited by key and by address", async () => {
      const keys = await Promise.all(
        ["one", "two", "three"].map(
          async (name) => await addToken(name, { unlimited_quota: true }),
        ),
      );
      const ask = async (key: string) => {
        const headers = { authorization: `Bearer sk-${key}` };
        const answer = await fetch(`${place.origin}/api/usage/token/`, { headers });
        const wait = answer.headers.get("retry-after");
        return [answer.status, wait === null ? 0 : Number(wait)] as const;
      };
      const many = async (key = "", times = 0) => {
        let last = await ask(key);
        for (let count = 1; count < times; count += 1) last = await ask(key);
        return last;
      };
      expect((await many(keys[0]?.key, 60))[0]).toBe(200);
      const [status, wait] = await many(keys[0]?.key);
      expect(status).toBe(429);
      expect(wait).toBeGreaterThan(0);
      expect((await many(keys[1]?.key))[0]).toBe(200);
      expect((await many(keys[1]?.key, 59))[0]).toBe(429);
      expect((await many(keys[2]?.key))[0]).toBe(429);
      // The limit on reads by API key does not affect signed-in users.
      expect((await root.get("/api/status")).status).toBe(200);
    });
  });
}
