import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { testDialects } from "#db/testing/database.ts";
import { type Installation, openInstallation } from "#test/proof/installation.ts";
import { type OneApiConsole, openPages, type Page } from "./one-api-console.ts";

/** An answer that goes on far beyond what the tests' keys can pay, at a unit a token. */
const model = { name: "endless", script: { promptTokens: 9, events: 20_000 }, ratio: 1 };

/** A streamed call of each client format. */
const formats = {
  "chat completions": {
    path: "/v1/chat/completions",
    body: { stream: true, messages: [{ role: "user", content: "go on" }] },
  },
  responses: { path: "/v1/responses", body: { stream: true, input: "go on" } },
  messages: {
    path: "/v1/messages",
    body: {
      stream: true,
      max_tokens: 20_000,
      messages: [{ role: "user", content: "go on" }],
    },
  },
  generateContent: {
    path: `/v1beta/models/${model.name}:streamGenerateContent?alt=sse`,
    body: { contents: [{ role: "user", parts: [{ text: "go on" }] }] },
  },
};

for (const dialect of testDialects) {
  describe(`a key whose quota runs out on ${dialect}`, () => {
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

    const addToken = async (name: string, part: object = {}) =>
      await alice.data<{ id: number; key: string }>("POST", "/api/token/", {
        name,
        expired_time: -1,
        ...part,
      });
    const call = async (key: string, { path, body }: { path: string; body: object }) =>
      await fetch(place.origin + path, {
        method: "POST",
        headers: {
          "content-type": "application/json",
          authorization: `Bearer sk-${key}`,
          "accept-language": "zh",
        },
        body: JSON.stringify({ model: model.name, ...body }),
      });
    const notes = async (token: string) =>
      (
        await root.data<{ items: { content: string }[] }>(
          "GET",
          `/api/log/?p=1&type=2&token_name=${token}`,
        )
      ).items.map(({ content }) => content);

    for (const [format, asked] of Object.entries(formats)) {
      test(`a stream of ${format} that its key's quota ends names the key, not the user`, async () => {
        const name = format.replace(" ", "-");
        const { key } = await addToken(name, { remain_quota: 3_000 });
        const text = await (await call(key, asked)).text();
        expect(text).toContain("令牌额度不足，输出已中止");
        expect(text).not.toContain("user quota");
        expect((await notes(name)).join()).toContain("令牌额度不足，输出中止");
      });
    }

    test("a stream that its key's budget ends names the budget", async () => {
      const { key } = await addToken("daily", { unlimited_quota: true, budget_day: 3_000 });
      const text = await (await call(key, formats["chat completions"])).text();
      expect(text).toContain('"code":"token_budget_exceeded"');
    });

    test("a key with less than the smallest call needs is shown as used up, and its call says so", async () => {
      const { id, key } = await addToken("crumbs", { remain_quota: 9 });
      const answer = await call(key, formats["chat completions"]);
      expect(answer.status).toBe(401);
      expect(await answer.text()).toContain("该令牌额度已用尽，剩余额度: 9, 最小预扣费额度: 15");
      const read = async () => await alice.data<{ status: number }>("GET", `/api/token/${id}`);
      // No call waits for the mark.
      for (let tries = 0; tries < 200 && (await read()).status !== 4; tries += 1) {
        await Bun.sleep(20);
      }
      expect(await read()).toMatchObject({ status: 4 });

      // What is enough for a short prompt, but not for this one, is not used up.
      const some = await addToken("some", { remain_quota: 20 });
      const refused = await call(some.key, formats["chat completions"]);
      expect([refused.status, await refused.text()]).toEqual([
        403,
        expect.stringContaining("pre_consume_token_quota_failed"),
      ]);
      expect(await alice.data("GET", `/api/token/${some.id}`)).toMatchObject({ status: 1 });
    });
  });
}
