/** What no call may ask for, whatever it pays: more thinking, or more inputs, than is allowed. */

import { afterEach, expect, test } from "bun:test";
import { anthropic } from "#providers/anthropic.ts";
import { gemini } from "#providers/gemini.ts";
import { openMediaRelay } from "./testing/media.ts";

const opened: { stop(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of opened.splice(0)) await each.stop();
});

function open(...given: Parameters<typeof openMediaRelay>) {
  const made = openMediaRelay(...given);
  opened.push(made);
  return made;
}

const messages = [{ role: "user", content: "hi" }];
const contents = [{ role: "user", parts: [{ text: "hi" }] }];
const options = { thinkingBudgetMax: 5_000, embeddingInputsMax: 3 };
const chat = "/v1/chat/completions";
const claude = "/v1/messages";
const google = "/v1beta/models/m:generateContent";

test("a thinking budget above the bound is refused before an upstream is asked, in every format, and named", async () => {
  const { post, seen, relay } = open(() => Response.json({}), {}, { options });
  const thinking = (budget_tokens: unknown) => ({ type: "enabled", budget_tokens });
  const ofGoogle = (thinkingBudget: unknown) => {
    return { contents, generationConfig: { thinkingConfig: { thinkingBudget } } };
  };
  for (const [path, body, param] of [
    [claude, { thinking: thinking(5_001) }, "thinking.budget_tokens"],
    [claude, { thinking: thinking(1e15) }, "thinking.budget_tokens"],
    [claude, { thinking: thinking(1_024.5) }, "thinking.budget_tokens"],
    [claude, { thinking: thinking(-2) }, "thinking.budget_tokens"],
    [claude, { thinking: thinking("4000") }, "thinking.budget_tokens"],
    [claude, { thinking: { ...thinking(4_000), Budget_tokens: 9_000 } }, "thinking.budget_tokens"],
    [chat, { thinking: thinking(5_001) }, "thinking.budget_tokens"],
    [chat, { thinking_budget: 5_001 }, "thinking_budget"],
    [chat, { reasoning: { max_tokens: 5_001 } }, "reasoning.max_tokens"],
    [google, ofGoogle(5_001), "generationConfig.thinkingConfig.thinkingBudget"],
  ] as const) {
    const asked = path === google ? body : { model: "m", max_tokens: 9_000, messages, ...body };
    const response = await post(path, asked);
    expect([path, response.status, await response.text()]).toEqual([
      path,
      400,
      expect.stringContaining(`${param} must be a whole number of at most 5000`),
    ]);
  }
  expect([seen.length, relay.money.held]).toEqual([0, 0]);
});

const answers = "/v1/responses";

test("a body of so many values that its translation would stop everybody is refused in every format", async () => {
  const { post, seen, relay } = open(() => Response.json({}), { provider: gemini });
  const many = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`x${at}`, 1]));
  const turns = Array.from({ length: 30_000 }, () => messages[0]);
  const nested = "[".repeat(60) + "]".repeat(60);
  const called = Array.from({ length: 1_200 }, (_, at) => [
    {
      role: "assistant",
      tool_calls: [
        { id: `c${at}`, type: "function", function: { name: "f", arguments: `{"a":${nested}}` } },
      ],
    },
    { role: "tool", tool_call_id: `c${at}`, content: "r" },
  ]).flat();
  for (const [path, body] of [
    [chat, { model: "m", messages: turns }],
    [chat, { model: "m", messages, metadata: many(70_000) }],
    [chat, { model: "m", messages, ...many(1_100) }],
    [chat, { model: "m", messages: [...messages, ...called] }],
    [claude, { model: "m", max_tokens: 9, messages: turns }],
    [claude, { model: "m", max_tokens: 9, messages, ...many(1_100) }],
    [answers, { model: "m", input: turns }],
    [google, { contents: turns.slice(15_000).map(() => contents[0]) }],
  ] as const) {
    const response = await post(path, body);
    expect([path, response.status, await response.text()]).toEqual([
      path,
      400,
      expect.stringMatching(/more than (1000 fields, or more than )?(50000|30000) values/),
    ]);
  }
  expect([seen.length, relay.money.held]).toEqual([0, 0]);
});

test("a text of so many escapes that its translation would stop everybody is refused in every format, and one that a model can read is not", async () => {
  const candidates = [{ content: { parts: [{ text: "hi" }] }, finishReason: "STOP" }];
  const { post, seen } = open(
    () => Response.json({ candidates }),
    { provider: gemini },
    { options: { bodyBytesMax: 10 * 1024 * 1024 } },
  );
  const asked = (content: string) =>
    [
      [chat, { model: "m", messages: [{ role: "user", content }] }],
      [claude, { model: "m", max_tokens: 9, messages: [{ role: "user", content }] }],
      [answers, { model: "m", input: content }],
      [google, { contents: [{ role: "user", parts: [{ text: content }] }] }],
    ] as const;
  for (const text of ["\n".repeat(1_750_001), '\\"'.repeat(600_000)]) {
    for (const [path, body] of asked(text)) {
      const response = await post(path, body);
      expect([path, response.status, await response.text()]).toEqual([
        path,
        400,
        expect.stringContaining("more than 1750000 backslashes"),
      ]);
    }
  }
  expect(seen).toHaveLength(0);
  // Ten megabytes of `\u0001`: as many escapes as Chinese letters that Python's `json.dumps` writes.
  const long = "\u0001".repeat(1_700_000);
  for (const [path, body] of asked(long).slice(0, 3)) {
    expect((await post(path, body)).status).toBe(200);
    expect(await seen.at(-1)?.body.text()).toContain(JSON.stringify(long).slice(1, -1));
  }
});

test("a long conversation of an agent with many tools is within the bounds, and so are lists of token numbers", async () => {
  const candidates = [{ content: { parts: [{ text: "hi" }] }, finishReason: "STOP" }];
  const { post } = open(() => Response.json({ candidates }), { provider: gemini });
  const turns = Array.from({ length: 5_000 }, (_, at) => ({
    role: at % 2 === 0 ? "user" : "assistant",
    content: "hi",
  }));
  const tools = Array.from({ length: 100 }, (_, at) => ({
    type: "function",
    function: {
      name: `f${at}`,
      description: "d",
      parameters: {
        type: "object",
        properties: Object.fromEntries(
          Array.from({ length: 20 }, (_each, index) => [
            `p${index}`,
            { type: "string", description: "d" },
          ]),
        ),
      },
    },
  }));
  expect((await post(chat, { model: "m", messages: turns, tools })).status).toBe(200);
  const vectors = open(() =>
    Response.json({
      data: [{ index: 0, embedding: [0] }],
      usage: { prompt_tokens: 9, total_tokens: 9 },
    }),
  );
  const input = Array.from({ length: 10 }, () => Array.from({ length: 8_000 }, () => 7));
  expect((await vectors.post("/v1/embeddings", { model: "m", input })).status).toBe(200);
});

test("a thinking budget within the bound goes on as it is", async () => {
  const answer = {
    type: "message",
    role: "assistant",
    content: [{ type: "text", text: "hi" }],
    stop_reason: "end_turn",
    usage: { input_tokens: 1, output_tokens: 1 },
  };
  const native = open(() => Response.json(answer), { provider: anthropic }, { options });
  for (const thinking of [{ type: "enabled", budget_tokens: 5_000 }, { type: "disabled" }]) {
    const asked = { model: "m", max_tokens: 9_000, messages, thinking };
    expect((await native.post(claude, asked)).status).toBe(200);
    expect(await native.seen.at(-1)?.body.json()).toMatchObject({ thinking });
  }
  const candidates = [{ content: { parts: [{ text: "hi" }] }, finishReason: "STOP" }];
  const other = open(() => Response.json({ candidates }), { provider: gemini }, { options });
  // By −1 the model decides for itself, by 0 it does not think.
  for (const thinkingBudget of [-1, 0, 5_000, null]) {
    const generationConfig = { thinkingConfig: { thinkingBudget } };
    expect((await other.post(google, { contents, generationConfig })).status).toBe(200);
  }
});

test("more inputs for vectors than the bound are refused before an upstream is asked, in every format", async () => {
  const { post, seen, relay } = open(() => Response.json({}), {}, { options });
  const many = ["a", "b", "c", "d"];
  for (const [path, body, param] of [
    ["/v1/embeddings", { model: "m", input: many }, "input"],
    ["/v1/embeddings", { model: "m", input: [[1], [2], [3], [4]] }, "input"],
    ["/v2/embed", { model: "m", texts: many, input_type: "search_query" }, "texts"],
    [
      "/v1beta/models/m:batchEmbedContents",
      { requests: many.map((text) => ({ content: { parts: [{ text }] } })) },
      "requests",
    ],
  ] as const) {
    const response = await post(path, body);
    expect([path, response.status, await response.text()]).toEqual([
      path,
      400,
      expect.stringContaining(`${param} may have at most 3 elements`),
    ]);
  }
  expect([seen.length, relay.money.held]).toEqual([0, 0]);
});

test("as many inputs as the bound go on, and token numbers are one input", async () => {
  const { post } = open(() => Response.json({ data: [{ embedding: [1] }] }), {}, { options });
  for (const input of ["a", ["a", "b", "c"], [1, 2, 3, 4, 5], [[1, 2], [3]]]) {
    expect((await post("/v1/embeddings", { model: "m", input })).status).toBe(200);
  }
});
