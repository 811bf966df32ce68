/**
 * T33 on the product: web searches as each format tells them, prices by the hour, steps of long
 * prompts and prices of single kinds of tokens, whole and streamed, translated and not, on both
 * databases. What the log says of each call, computed again as the console does, is what was
 * charged, and the audit proves it.
 */

import {
  charge,
  type ChargedUsage,
  type PriceList,
  unitPrice,
} from "@tollgate/contract/money/charge.ts";
import { expect, test } from "bun:test";
import type { Json } from "#base/json.ts";
import { testDialects } from "#db/testing/database.ts";
import { addChannel, addToken, signIn } from "#test/console.ts";
import { makeStartedHome, runCommand, startGateway } from "#test/gateway.ts";

const model = "searching";
const text = "Hello there!";

type Events = readonly (readonly [type: string, data: Json])[];
type Told = { readonly whole: Json; readonly events: Events };

const cited = { type: "url_citation", url_citation: { url: "https://a.test", title: "A" } };
const chatUsage = { prompt_tokens: 1_000, completion_tokens: 10, total_tokens: 1_010 };
const chatEnd = (usage: Json, annotations: Json[]): Told => {
  const message = { role: "assistant", content: text, annotations };
  return {
    whole: { id: "c", model, choices: [{ index: 0, message, finish_reason: "stop" }], usage },
    events: [
      ["", { id: "c", model, choices: [{ index: 0, delta: { content: text } }] }],
      [
        "",
        { id: "c", model, choices: [{ index: 0, delta: { annotations }, finish_reason: "stop" }] },
      ],
      ["", { id: "c", model, choices: [], usage }],
    ],
  };
};

const items = [
  { id: "ws_1", type: "web_search_call", status: "completed", action: { type: "search" } },
  { id: "ws_2", type: "web_search_call", status: "completed", action: { type: "open_page" } },
  { id: "ws_3", type: "web_search_call", status: "failed", action: { type: "search" } },
  {
    id: "ws_4",
    action: { query: "a", type: "search" },
    status: "completed",
    type: "web_search_call",
  },
  {
    id: "msg_1",
    type: "message",
    status: "completed",
    role: "assistant",
    content: [{ type: "output_text", text, annotations: [] }],
  },
];
const responseUsage = { input_tokens: 1_000, output_tokens: 10, total_tokens: 1_010 };
const response = {
  id: "resp_1",
  object: "response",
  model,
  status: "completed",
  output: items,
  usage: responseUsage,
};
const responseEvents: Events = [
  [
    "response.created",
    { response: { ...response, status: "in_progress", output: [], usage: null } },
  ],
  ...items.flatMap((item, output_index): Events => [
    ["response.output_item.added", { output_index, item: { ...item, status: "in_progress" } }],
    ["response.output_item.done", { output_index, item }],
  ]),
  ["response.completed", { response }],
];

const messagesUsage = {
  input_tokens: 1_000,
  output_tokens: 10,
  server_tool_use: { web_search_requests: 2 },
};
const message = { id: "msg_1", type: "message", role: "assistant", model };
const block = { type: "text", text };
const messagesEvents: Events = [
  [
    "message_start",
    { message: { ...message, content: [], usage: { input_tokens: 1_000, output_tokens: 1 } } },
  ],
  ["content_block_start", { index: 0, content_block: { type: "text", text: "" } }],
  ["content_block_delta", { index: 0, delta: { type: "text_delta", text } }],
  ["content_block_stop", { index: 0 }],
  ["message_delta", { delta: { stop_reason: "end_turn" }, usage: messagesUsage }],
  ["message_stop", {}],
];

const candidate = {
  index: 0,
  content: { role: "model", parts: [{ text }] },
  finishReason: "STOP",
  groundingMetadata: { webSearchQueries: ["", "a", "b", "a"] },
};
const gemini = {
  candidates: [candidate],
  modelVersion: model,
  usageMetadata: { promptTokenCount: 1_000, candidatesTokenCount: 10, totalTokenCount: 1_010 },
};

/** What an upstream answers, by the path that it is asked at. */
const told: readonly (readonly [RegExp, Told])[] = [
  [/\/chat\/completions$/, chatEnd(chatUsage, [cited, cited])],
  [/\/responses$/, { whole: response, events: responseEvents }],
  [
    /\/messages$/,
    {
      whole: { ...message, content: [block], stop_reason: "end_turn", usage: messagesUsage },
      events: messagesEvents,
    },
  ],
  [/generateContent/i, { whole: gemini, events: [["", gemini]] }],
];

function startUpstream() {
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request) {
      const { pathname } = new URL(request.url);
      // Safe cast: the test's own requests.
      const body = (await request.json()) as { readonly stream?: boolean };
      const found = told.find(([path]) => path.test(pathname))?.[1];
      if (found === undefined) return new Response("", { status: 404 });
      if (body.stream !== true && !pathname.includes("stream")) return Response.json(found.whole);
      const lines = found.events.map(([type, data]) =>
        type === ""
          ? `data: ${JSON.stringify(data)}\n\n`
          : `event: ${type}\ndata: ${JSON.stringify({ type, ...(data as object) })}\n\n`,
      );
      const done = pathname.endsWith("/chat/completions") ? "data: [DONE]\n\n" : "";
      return new Response(lines.join("") + done, {
        headers: { "content-type": "text/event-stream" },
      });
    },
  });
  return { url: `http://127.0.0.1:${server.port}`, stop: async () => await server.stop(true) };
}

const messages = [{ role: "user", content: "hi" }];
const contents = [{ role: "user", parts: [{ text: "hi" }] }];
/** How a client asks, by the format that it speaks. */
const asks: Readonly<Record<string, (stream: boolean) => readonly [string, object]>> = {
  chat: (stream) => ["/v1/chat/completions", { model, stream, max_tokens: 50, messages }],
  responses: (stream) => ["/v1/responses", { model, stream, max_output_tokens: 50, input: "hi" }],
  messages: (stream) => ["/v1/messages", { model, stream, max_tokens: 50, messages }],
  gemini: (stream) => [
    `/v1beta/models/${model}:${stream ? "streamGenerateContent?alt=sse" : "generateContent"}`,
    { contents, generationConfig: { maxOutputTokens: 50 } },
  ],
};

/** The types of channels, and how many searches their upstreams tell. */
const upstreams = { chat: [1, 1], messages: [14, 2], gemini: [24, 2], responses: [3, 2] } as const;

/** The clients of an upstream, besides its own format chat completions. */
const clientsOf: Readonly<Record<string, readonly string[]>> = {
  chat: ["chat", "messages"],
  responses: ["responses"],
};

type Row = { readonly id: number; readonly quota: number; readonly other: string };
type Kept = { readonly usage: ChargedUsage; readonly prices: PriceList };

/** A time of the day so many hours from now. */
const inHours = (hours: number): string =>
  new Date(Date.now() + hours * 3_600_000).toISOString().slice(11, 16);

// 1,000 tokens of input cost 2 each, 10 of output 8; a search is a cent.
const [tokens, cent] = [2_000 + 80, 5_000];

for (const dialect of testDialects) {
  test(`T33: searches are charged as the answer tells them, in every format, on ${dialect}`, async () => {
    const upstream = startUpstream();
    const home = await makeStartedHome(dialect);
    const gateway = await startGateway(home);
    try {
      const root = await signIn(gateway.origin);
      const set = async (key: string, value: object) =>
        await root.call("PUT", "/api/option/", { key, value: JSON.stringify(value) });
      await set("ModelRatio", { [model]: 2 });
      await set("CompletionRatio", { [model]: 4 });
      await set("SearchPrices", { [model]: { search: 10 } });
      const { key } = await addToken(root);
      const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
      const ask = async (client: string, stream: boolean) => {
        const [path, body] = asks[client]?.(stream) ?? ["", {}];
        const init = { method: "POST", headers, body: JSON.stringify(body) };
        const sent = await fetch(gateway.origin + path, init);
        expect([client, sent.status, await sent.text()]).toEqual([
          client,
          200,
          expect.stringContaining(text),
        ]);
        const { items: rows } = await root.call<{ items: Row[] }>(
          "GET",
          "/api/log/?p=1&page_size=1",
        );
        return rows[0];
      };
      const proves = async (due: number, row: Row | undefined) => {
        expect(row?.quota).toBe(due);
        const kept = await root.call<Kept>("GET", `/api/log/charge/${row?.id}`);
        const price = unitPrice(kept.prices, model, "default");
        expect(price && charge(price, kept.usage)).toBe(due);
        return kept.usage;
      };
      for (const [name, [type, searches]] of Object.entries(upstreams)) {
        const id = await addChannel(root, {
          type,
          base_url: upstream.url,
          models: model,
        });
        for (const client of clientsOf[name] ?? [name, "chat"]) {
          for (const stream of [false, true]) {
            const row = await ask(client, stream);
            expect([name, client, stream, row?.quota]).toEqual([
              name,
              client,
              stream,
              tokens + searches * cent,
            ]);
            await proves(tokens + searches * cent, row);
            expect(JSON.parse(row?.other ?? "")).toMatchObject({ web_search_call_count: searches });
          }
        }
        await root.call("DELETE", `/api/channel/${id}`);
      }
      await addChannel(root, { base_url: upstream.url, models: model });
      const half = { ratio: 0.5, cache: 0.5, completion: 0.25 };
      await set("SearchPrices", { [model]: { call: 2, searchingCall: 4 } });
      await set("TokenKindPrices", { [model]: { output: 20 } });
      await set("HourPrices", { [model]: [{ from: inHours(-1), until: inHours(1), ...half }] });
      const usage = await proves(1_000 + 50 + 1_000 + 2_000, await ask("chat", false));
      expect(usage.minute).toBeNumber();
      await set("HourPrices", { [model]: [{ from: inHours(1), until: inHours(2), ...half }] });
      const steps = { above: 500, ratio: 2, further: [{ above: 999, ratio: 3, completion: 2 }] };
      await set("LongContextPrices", { [model]: steps });
      await proves(6_000 + 400 + 3_000, await ask("chat", true));
      const audit = await runCommand(home, ["audit"]);
      expect([audit.code, audit.output]).toEqual([0, expect.any(String)]);
    } finally {
      await gateway.kill();
      await home.remove();
      await upstream.stop();
    }
  });
}
