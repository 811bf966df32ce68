/** Answers without the results that were asked for: what never came costs nothing. */

import { afterEach, expect, test } from "bun:test";
import type { UsageSource } from "@tollgate/contract/endpoints/logs.ts";
import { cohere } from "#providers/cohere.ts";
import { gemini } from "#providers/gemini.ts";
import { jina } from "#providers/jina.ts";
import { formOf, openMediaRelay, silence } from "./testing/media.ts";

const opened: { stop(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of opened.splice(0)) await each.stop();
});

function open(...given: Parameters<typeof openMediaRelay>) {
  const made = openMediaRelay(...given);
  opened.push(made);
  return made;
}

const usage = { input_tokens: 50, output_tokens: 120, total_tokens: 170 };
const path = "/v1/images/generations";
const fixed = { models: new Set(["fixed", "m"]) };
const nothing: [number, UsageSource] = [0, "upstream"];

test("pictures that never came cost nothing, at a price per call and at one by tokens", async () => {
  const answers = [
    { data: [] },
    { data: [{}] },
    { data: [{}, {}] },
    { data: [null] },
    { data: [{ url: "" }] },
    { data: [{ url: null, b64_json: "" }] },
    { data: [{ revised_prompt: "a cat" }] },
    { data: [""] },
    { data: null },
    { data: {} },
    { images: [] },
    { data: [], images: [{ url: "" }] },
  ];
  const { post, charges, relay } = open(
    async ({ body }) => Response.json({ created: 1, usage, ...answers[(await body.json()).user] }),
    fixed,
  );
  for (const user of answers.keys()) {
    for (const model of ["fixed", "m"]) {
      const response = await post(path, { model, prompt: "a cat", n: 2, user });
      expect([user, model, response.status]).toEqual([user, model, 200]);
    }
  }
  expect(charges()).toEqual(answers.flatMap(() => [nothing, nothing]));
  expect(relay.money.held).toBe(0);
});

test("of several pictures those that came are charged", async () => {
  const one = { b64_json: "AAAA" };
  const answers = [
    { data: [one] },
    { data: [one, {}] },
    { data: [{}, one, one] },
    { data: [one, one, one, one] },
    { data: [one], images: [one] },
    { data: [{ image_url: { url: "https://x/1.png" } }] },
    { images: ["https://x/1.png", ""] },
    { b64_json: "AAAA" },
  ];
  const { post, charges } = open(
    async ({ body }) => Response.json(answers[(await body.json()).user]),
    fixed,
  );
  for (const user of answers.keys()) {
    await post(path, { model: "fixed", prompt: "a cat", n: 3, user });
  }
  expect(charges().map(([charge]) => charge)).toEqual([
    5_000, 5_000, 10_000, 15_000, 5_000, 5_000, 5_000, 5_000,
  ]);
});

test("a stream that ends without a picture costs nothing, one with a picture its price", async () => {
  const type = "image_generation.completed";
  const partial = { type: "image_generation.partial_image", b64_json: "AAAA" };
  const streams = [
    [{ type, usage }],
    [{ type, b64_json: "", usage }],
    [partial, { type, usage }],
    [partial, { type, b64_json: "AAAA", usage }],
  ];
  const { post, charges } = open(async ({ body }) => {
    const events = streams[(await body.json()).user] ?? [];
    const text = events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");
    return new Response(text, { headers: { "content-type": "text/event-stream" } });
  }, fixed);
  for (const user of streams.keys()) {
    const asked = { model: "fixed", prompt: "a cat", stream: true, user };
    await (await post(path, asked)).text();
  }
  expect(charges().map(([charge]) => charge)).toEqual([0, 0, 0, 5_000]);
});

test("vectors that never came cost nothing, in every format of clients", async () => {
  const counts = { prompt_tokens: 9, total_tokens: 9 };
  const openai = [
    { data: [] },
    { data: [{}] },
    { data: [{ object: "embedding", index: 0, embedding: [] }] },
    { data: [{ object: "embedding", index: 0, embedding: "" }] },
    { data: [{ object: "embedding", index: 0, embedding: null }] },
  ].map((answer) => ({ object: "list", ...answer, usage: counts }));
  const { post, charges } = open(async ({ body }) =>
    Response.json(openai[Number((await body.json()).user)]),
  );
  for (const user of openai.keys()) {
    const asked = { model: "m", input: ["a"], user: String(user) };
    expect((await post("/v1/embeddings", asked)).status).toBe(200);
  }
  expect(charges()).toEqual(openai.map(() => [0, "upstream"]));

  const google = open(
    ({ path: asked }) =>
      Response.json(
        asked.includes("batch")
          ? { embeddings: [{}] }
          : { embedding: { values: [] }, usageMetadata: { promptTokenCount: 11 } },
      ),
    { provider: gemini },
  );
  const content = { parts: [{ text: "a" }] };
  await google.post("/v1beta/models/m:batchEmbedContents", { requests: [{ content }] });
  await google.post("/v1beta/models/m:embedContent", { content });
  expect(google.charges()).toEqual([
    [0, "upstream"],
    [0, "upstream"],
  ]);

  const other = open(
    () => Response.json({ embeddings: { float: [] }, meta: { billed_units: { input_tokens: 7 } } }),
    { provider: cohere },
  );
  await other.post("/v2/embed", { model: "m", texts: ["a"], input_type: "search_query" });
  expect(other.charges()).toEqual([[0, "upstream"]]);
});

test("an order of documents that never came costs nothing", async () => {
  const answers = [{ results: [] }, { results: [{}] }, { results: null }];
  const { post, charges } = open(
    async ({ body }) =>
      Response.json({ ...answers[(await body.json()).user], usage: { total_tokens: 30 } }),
    { provider: jina },
  );
  for (const user of answers.keys()) {
    await post("/v1/rerank", { model: "m", query: "q", documents: ["a", "b"], user });
  }
  expect(charges()).toEqual(answers.map(() => [0, "upstream"]));

  // Where the answer is converted, it is no answer, and another channel is asked.
  const converted = open(() => Response.json({ results: [] }), { provider: cohere });
  const response = await converted.post("/v1/rerank", { model: "m", query: "q", documents: ["a"] });
  expect([response.ok, converted.charges()]).toEqual([false, []]);
});

test("sound without a text costs nothing; silence is an answer, and costs its price", async () => {
  const answers = [
    { usage: { type: "duration", seconds: 60 }, segments: [] },
    { text: null, segments: [] },
    { text: "", usage: { type: "duration", seconds: 60 } },
  ];
  const left = [...answers];
  const { post, charges } = open(() => Response.json(left.shift()));
  for (const _ of answers) {
    const form = formOf({ model: "m" }, [["file", silence(1)]]);
    await post("/v1/audio/transcriptions", form);
  }
  expect(charges()).toEqual([
    [0, "upstream"],
    [0, "upstream"],
    [2_000, "upstream"],
  ]);
});

test("a stream of speech that ends without sound costs nothing", async () => {
  const done = { type: "speech.audio.done", usage: { input_tokens: 9, output_tokens: 90 } };
  const { post, charges } = open(
    () =>
      new Response(`data: ${JSON.stringify(done)}\n\n`, {
        headers: { "content-type": "text/event-stream" },
      }),
  );
  const asked = { model: "m", input: "hello", voice: "alloy", stream_format: "sse" };
  await (await post("/v1/audio/speech", asked)).text();
  expect(charges()).toEqual([[0, "upstream"]]);
});
