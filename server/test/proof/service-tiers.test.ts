/**
 * T25 on the product: calls in several service tiers, whole and streamed, on both databases. What
 * the log says of each, computed again as the console does, is what was charged, and the audit
 * proves it.
 */

import {
  charge,
  type ChargedUsage,
  type PriceList,
  unitPrice,
} from "@tollgate/contract/money/charge.ts";
import { expect, test } from "bun:test";
import { testDialects } from "#db/testing/database.ts";
import { addChannel, addToken, signIn } from "#test/console.ts";
import { makeStartedHome, runCommand, startGateway } from "#test/gateway.ts";

const model = "tiered";
const text = "Hello there!";
const usage = {
  prompt_tokens: 1_000,
  completion_tokens: 10,
  total_tokens: 1_010,
  prompt_tokens_details: { cached_tokens: 400 },
};

type Asked = {
  readonly stream: boolean;
  readonly service_tier?: string;
  /** What the upstream is to say of the tier. */
  readonly user: string;
};

/** Answers as the same recording, streamed or whole, in the tier that the request names as user. */
function startTiers() {
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request) {
      // Safe cast: the test's own requests.
      const { stream, user } = (await request.json()) as Asked;
      const tier = user === "" ? {} : { service_tier: user };
      if (!stream) {
        const message = { role: "assistant", content: text };
        const choices = [{ index: 0, message, finish_reason: "stop" }];
        return Response.json({ id: "c", model, ...tier, choices, usage });
      }
      const events = [
        { id: "c", model, ...tier, choices: [{ index: 0, delta: { content: text } }] },
        { id: "c", model, ...tier, choices: [{ index: 0, delta: {}, finish_reason: "stop" }] },
        { id: "c", model, ...tier, choices: [], usage },
      ];
      const lines = [...events.map((event) => JSON.stringify(event)), "[DONE]"];
      return new Response(lines.map((line) => `data: ${line}\n\n`).join(""), {
        headers: { "content-type": "text/event-stream" },
      });
    },
  });
  return { url: `http://127.0.0.1:${server.port}`, stop: async () => await server.stop(true) };
}

type Row = { readonly id: number; readonly quota: number; readonly content: string };
type Kept = { readonly usage: ChargedUsage; readonly prices: PriceList };

// 600 input tokens cost 2 each, 400 cached ones 1, 10 output tokens 8.
const standard = 1_200 + 400 + 80;
const priority = 1_200 * 2 + 400 * 3 + 80 * 1.5;
const flex = 1_200 * 0.5 + 400 * 0.5 + 80 * 0.25;

const calls: readonly (readonly [Omit<Asked, "stream">, number])[] = [
  [{ user: "" }, standard],
  [{ user: "priority" }, priority],
  [{ user: "default", service_tier: "priority" }, standard],
  [{ user: "priority", service_tier: "priority" }, priority],
  [{ user: "flex", service_tier: "flex" }, flex],
  [{ user: "flex", service_tier: "priority" }, priority],
];

for (const dialect of testDialects) {
  test(`T25: each service tier is charged and proven by its price, whole and streamed, on ${dialect}`, async () => {
    const upstream = startTiers();
    const home = await makeStartedHome(dialect);
    const gateway = await startGateway(home);
    try {
      const root = await signIn(gateway.origin);
      const set = async (key: string, value: object) =>
        await root.call("PUT", "/api/option/", { key, value: JSON.stringify(value) });
      await set("ModelRatio", { [model]: 2 });
      await set("CompletionRatio", { [model]: 4 });
      await set("CacheRatio", { [model]: 0.5 });
      await set("ServiceTierPrices", {
        [model]: {
          priority: { ratio: 2, cache: 3, completion: 1.5 },
          flex: { ratio: 0.5, completion: 0.25 },
        },
      });
      await addChannel(root, { base_url: upstream.url, models: model });
      const { key } = await addToken(root);
      for (const [asks, due] of calls) {
        for (const stream of [false, true]) {
          const sent = await fetch(`${gateway.origin}/v1/chat/completions`, {
            method: "POST",
            headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
            body: JSON.stringify({
              model,
              stream,
              max_tokens: 50,
              messages: [{ role: "user", content: "hi" }],
              ...asks,
            }),
          });
          expect([sent.status, await sent.text()]).toEqual([200, expect.stringContaining(text)]);
          const { items } = await root.call<{ items: Row[] }>("GET", "/api/log/?p=1&page_size=1");
          const [row] = items;
          expect([asks, stream, row?.quota]).toEqual([asks, stream, due]);
          const kept = await root.call<Kept>("GET", `/api/log/charge/${row?.id}`);
          const price = unitPrice(kept.prices, model, "default");
          expect(price && charge(price, kept.usage)).toBe(due);
          expect(row?.content.includes("服务等级")).toBe(due !== standard);
        }
      }
      const audit = await runCommand(home, ["audit"]);
      expect([audit.code, audit.output]).toEqual([0, expect.any(String)]);
    } finally {
      await gateway.kill();
      await home.remove();
      await upstream.stop();
    }
  });
}
