/** Embeddings, rerank and moderations through the relay, passed on and converted. */

import { afterEach, expect, test } from "bun:test";
import { gemini } from "#providers/gemini.ts";
import { openai } from "#providers/openai.ts";
import { jina } from "#providers/jina.ts";
import type { Provider } from "#providers/provider.ts";
import { voyage } from "#providers/voyage.ts";
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

const content = (text: string) => ({ parts: [{ text }] });

function speaking(format: string, path: string, modality: string): Provider {
  return { ...openai, formats: { [format]: { paths: { [modality]: path }, asksForUsage: false } } };
}

test("Gemini's clients get vectors from Gemini, through a mapped model", async () => {
  const { post, seen, charges } = open(
    ({ path }) =>
      Response.json(
        path.endsWith("batchEmbedContents")
          ? { embeddings: [{ values: [1] }, { values: [2] }] }
          : { embedding: { values: [3] }, usageMetadata: { promptTokenCount: 11 } },
      ),
    { provider: gemini, modelMapping: new Map([["m", "gemini-embedding-2"]]) },
  );
  const requests = [
    { model: "models/m", content: content("a") },
    { model: "models/m", content: content("b") },
  ];
  const batch = await post("/v1beta/models/m:batchEmbedContents", { requests });
  const one = await post("/v1/models/m:embedContent", { content: content("a") });

  expect([await batch.json(), await one.json()]).toMatchObject([
    { embeddings: [{ values: [1] }, { values: [2] }] },
    { embedding: { values: [3] } },
  ]);
  const [first, second] = seen;
  expect([first?.path, second?.path]).toEqual([
    "/v1beta/models/gemini-embedding-2:batchEmbedContents",
    "/v1beta/models/gemini-embedding-2:embedContent",
  ]);
  expect(await first?.body.json()).toMatchObject({
    requests: [{ model: "models/gemini-embedding-2" }, { model: "models/gemini-embedding-2" }],
  });
  expect(charges()[1]).toEqual([22, "upstream"]);
  expect(charges()[0]?.[1]).toBe("local");
});

test("vectors whose report says zeros cost their prompt, and the client is told it", async () => {
  for (const usage of [{ prompt_tokens: 0, total_tokens: 0 }, undefined]) {
    const { charges, post } = open(
      () => Response.json({ object: "list", data: [{ embedding: [1] }], usage }),
      {
        provider: openai,
      },
    );
    const response = await post("/v1/embeddings", { model: "m", input: "word ".repeat(50) });
    const [charged] = charges();

    expect(charged?.[1]).toBe("local");
    expect(Number(charged?.[0])).toBeGreaterThan(2);
    expect(await response.json()).toMatchObject({
      usage: { prompt_tokens: Number(charged?.[0]) / 2 },
    });
  }
});

test("a text of a batch that names another model than the path is refused", async () => {
  const { post, seen } = open(() => Response.json({}), { provider: gemini });
  const requests = [{ model: "models/other", content: content("a") }];
  const response = await post("/v1beta/models/m:batchEmbedContents", { requests });
  const many = { requests: Array.from({ length: 101 }, () => ({ content: content("a") })) };

  expect([response.status, await response.json()]).toMatchObject([
    400,
    { error: { status: "INVALID_ARGUMENT" } },
  ]);
  expect((await post("/v1beta/models/m:batchEmbedContents", many)).status).toBe(400);
  expect(seen).toEqual([]);
});

test("OpenAI's clients get vectors from Gemini as base64, and what they wanted is passed on", async () => {
  const { post, seen } = open(
    () => Response.json({ embeddings: [{ values: [1, -2.5] }, { values: [0.5, 4] }] }),
    { provider: gemini },
  );
  const response = await post("/v1/embeddings", {
    model: "m",
    input: ["a", "b"],
    dimensions: 2,
    encoding_format: "base64",
    user: "u",
  });
  const { data } = (await response.json()) as { data: { index: number; embedding: string }[] };

  expect(
    data.map(({ index, embedding }) => [index, Buffer.from(embedding, "base64").readFloatLE(4)]),
  ).toEqual([
    [0, -2.5],
    [1, 4],
  ]);
  expect(response.headers.get("x-tollgate-losses")).toBe("user");
  expect(await seen[0]?.body.json()).toEqual({
    requests: ["a", "b"].map((text) => ({
      model: "models/m",
      content: content(text),
      outputDimensionality: 2,
    })),
  });
});

test("token numbers, which only OpenAI's servers take, are refused for others", async () => {
  const { post, seen, relay } = open(() => Response.json({}), { provider: gemini });
  const response = await post("/v1/embeddings", { model: "m", input: [1, 2] });

  expect([response.status, await response.json()]).toMatchObject([
    400,
    { error: { param: "input" } },
  ]);
  expect([seen.length, relay.money.held]).toEqual([0, 0]);
});

test("clients of every format get vectors from upstreams of every other", async () => {
  const clients = [
    ["/v1/embeddings", { model: "m", input: ["a", "b"] }, "data"],
    [
      "/v1beta/models/m:batchEmbedContents",
      { requests: [{ content: content("a") }, { content: content("b") }] },
      "embeddings",
    ],
    [
      "/v2/embed",
      { model: "m", texts: ["a", "b"], input_type: "search_query", embedding_types: ["float"] },
      "embeddings",
    ],
  ] as const;
  const vectors = [
    [1, 2],
    [3, 4],
  ];
  const listed = { data: vectors.map((embedding, index) => ({ index, embedding })) };
  const upstreams = [
    ["openai-chat", { ...listed, usage: { prompt_tokens: 7, total_tokens: 7 } }],
    [
      "gemini-vectors",
      { embeddings: vectors.map((values) => ({ values })), usageMetadata: { promptTokenCount: 7 } },
    ],
    [
      "cohere-vectors",
      { embeddings: { float: vectors }, meta: { billed_units: { input_tokens: 7 } } },
    ],
    ["voyage-vectors", { ...listed, usage: { total_tokens: 7 } }],
    [
      "dashscope-vectors",
      {
        output: { embeddings: vectors.map((embedding, text_index) => ({ embedding, text_index })) },
        usage: { total_tokens: 7 },
      },
    ],
  ] as const;
  for (const [path, body, field] of clients) {
    for (const [format, answer] of upstreams) {
      const { post, charges } = open(() => Response.json(answer), {
        provider: speaking(format, "/embed", "embeddings"),
      });
      const response = await post(path, body);
      const text = await response.text();

      expect([path, format, response.status, text.includes(`"${field}"`)]).toEqual([
        path,
        format,
        200,
        true,
      ]);
      expect(text).toContain("[3,4]");
      expect(charges()).toEqual([[14, "upstream"]]);
    }
  }
});

const rerank = { model: "m", query: "capital?", documents: ["Paris", { text: "Rome" }], top_n: 2 };

test("rerank is passed on to servers of Jina's kind, and charged by reported tokens", async () => {
  const answer = { results: [{ index: 1, relevance_score: 0.9 }], usage: { total_tokens: 34 } };
  const { post, seen, charges } = open(() => Response.json(answer));
  const response = await post("/v1/rerank", rerank);

  expect([response.status, await response.json(), seen[0]?.path]).toEqual([
    200,
    answer,
    "/v1/rerank",
  ]);
  expect(await seen[0]?.body.json()).toEqual(rerank);
  expect(charges()).toEqual([[68, "upstream"]]);
});

test("rerank is converted to Cohere's, Voyage's and DashScope's way and back", async () => {
  const results = [{ index: 1, relevance_score: 0.9 }];
  for (const [format, answer, source] of [
    ["cohere-rerank", { results, meta: { billed_units: { search_units: 1 } } }, "local"],
    ["voyage-rerank", { data: results, usage: { total_tokens: 34 } }, "upstream"],
    ["dashscope-rerank", { output: { results }, usage: { total_tokens: 34 } }, "upstream"],
  ] as const) {
    const { post, seen, charges } = open(() => Response.json(answer), {
      provider: speaking(format, "/rerank", "rerank"),
    });
    const response = await post("/v2/rerank", { ...rerank, return_documents: true });

    expect([format, response.status, await response.json()]).toMatchObject([
      format,
      200,
      { results: [{ index: 1, relevance_score: 0.9, document: { text: "Rome" } }] },
    ]);
    expect(await seen[0]?.body.text()).toContain('"documents":["Paris","Rome"]');
    expect(charges()[0]?.[1]).toBe(source);
  }
});

test("P-M3, P-M4: rerank without documents is refused, and hostile answers are", async () => {
  const hostile: object[] = [
    { results: [{ index: 7, relevance_score: 1 }] },
    { results: "none" },
    { error: { message: "broken" } },
  ];
  const { post, seen, relay } = open(() => Response.json(hostile[0]), {
    provider: speaking("cohere-rerank", "/rerank", "rerank"),
  });
  for (const [more, param] of [
    [{ documents: [] }, "documents"],
    [{ documents: ["a", 1] }, "documents"],
    [{ documents: "a" }, "documents"],
    [{ query: "" }, "query"],
    [{ top_n: 0 }, "top_n"],
    [{ top_n: 1e9 }, "top_n"],
  ] as const) {
    const response = await post("/v1/rerank", { ...rerank, ...more });
    expect([response.status, await response.json()]).toMatchObject([400, { error: { param } }]);
  }
  expect(seen).toEqual([]);
  while (hostile.length > 0) {
    expect((await post("/v1/rerank", rerank)).status).toBeGreaterThanOrEqual(500);
    hostile.shift();
  }
  expect([relay.money.settled.length, relay.money.held]).toEqual([0, 0]);
});

test("moderations are passed on and charged by the gateway's own count", async () => {
  const answer = {
    id: "modr-1",
    model: "m",
    results: [{ flagged: false, categories: {}, category_scores: {} }],
  };
  const { post, charges, seen } = open(() => Response.json(answer));
  const response = await post("/v1/moderations", { model: "m", input: "0123456789" });

  expect([response.status, await response.json(), seen[0]?.path]).toEqual([
    200,
    answer,
    "/v1/moderations",
  ]);
  expect(charges()).toEqual([[4, "local"]]);
  expect((await post("/v1/moderations", { model: "m" })).status).toBe(400);
});

test("channels of Voyage AI and Jina serve embeddings and rerank at the vendors' own paths", async () => {
  const vector = { data: [{ index: 0, embedding: [1, 2] }], usage: { total_tokens: 7 } };
  const order = [{ index: 0, relevance_score: 1 }];
  const ranked = { results: order, data: order, usage: { total_tokens: 7 } };
  for (const provider of [voyage, jina]) {
    const { post, seen } = open(
      ({ path }) => Response.json(path.endsWith("/embeddings") ? vector : ranked),
      { provider },
    );
    const embedded = await post("/v1/embeddings", { model: "m", input: "a" });
    const reranked = await post("/v1/rerank", rerank);

    expect([provider.id, embedded.status, reranked.status]).toEqual([provider.id, 200, 200]);
    expect(seen.map(({ path }) => path)).toEqual(["/v1/embeddings", "/v1/rerank"]);
  }
});
