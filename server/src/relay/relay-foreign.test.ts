/**
 * What no answer gives, such as files, nobody may name, unless the channel says that its ids are
 * shared.
 */

import { afterEach, expect, test } from "bun:test";
import { type Body, openNamingRelay, user } from "./testing/named.ts";
import { testUser } from "./testing/relay.ts";

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

async function open(change: { readonly sharesIds?: boolean } = {}) {
  const opened = await openNamingRelay(change);
  stops.push(opened.stop);
  return opened;
}

const chat = (content: unknown): Body => ({ model: "m", messages: [user(content)] });
const messages = (content: unknown): Body => ({
  model: "demo-fast",
  max_tokens: 9,
  messages: [user(content)],
});
const input = (content: unknown): Body => ({ model: "m", input: [user(content)] });
const tools = (tool: unknown): Body => ({ model: "m", input: "hi", tools: [tool] });
const parts = (part: unknown): Body => ({ contents: [{ role: "user", parts: [part] }] });
const generate = "/v1beta/models/other:generateContent";

const foreignCases: readonly (readonly [name: string, path: string, body: Body])[] = [
  ["conversation", "/v1/responses", { ...input("hi"), conversation: "conv_1" }],
  [
    "conversation as an object",
    "/v1/responses",
    { ...input("hi"), conversation: { id: "conv_1" } },
  ],
  ["a stored prompt", "/v1/responses", { ...input("hi"), prompt: { id: "pmpt_1" } }],
  ["a file in the input", "/v1/responses", input([{ type: "input_file", file_id: "file-1" }])],
  ["a picture by its file", "/v1/responses", input([{ type: "input_image", file_id: "file-1" }])],
  [
    "a file in a tool's result",
    "/v1/responses",
    {
      model: "m",
      input: [
        { type: "function_call", call_id: "c", name: "f", arguments: "{}" },
        {
          type: "function_call_output",
          call_id: "c",
          output: [{ type: "input_file", file_id: "f" }],
        },
      ],
    },
  ],
  ["vector_store_ids", "/v1/responses", tools({ type: "file_search", vector_store_ids: ["vs_1"] })],
  [
    "files of a container",
    "/v1/responses",
    tools({ type: "code_interpreter", container: { type: "auto", file_ids: ["file-1"] } }),
  ],
  [
    "a mask",
    "/v1/responses",
    tools({ type: "image_generation", input_image_mask: { file_id: "file-1" } }),
  ],
  [
    "a skill",
    "/v1/responses",
    tools({
      type: "shell",
      environment: {
        type: "container_auto",
        skills: [{ type: "skill_reference", skill_id: "skill_1" }],
      },
    }),
  ],
  ["a key in another case", "/v1/responses", input([{ type: "input_file", File_ID: "file-1" }])],
  ["files of a compaction", "/v1/responses/compact", input([{ type: "input_file", file_id: "f" }])],
  [
    "file of a document",
    "/v1/messages",
    messages([{ type: "document", source: { type: "file", file_id: "f" } }]),
  ],
  ["container_upload", "/v1/messages", messages([{ type: "container_upload", file_id: "file_1" }])],
  [
    "a file in a tool's result",
    "/v1/messages",
    messages([
      {
        type: "tool_result",
        tool_use_id: "t",
        content: [{ type: "image", source: { type: "file", file_id: "f" } }],
      },
    ]),
  ],
  [
    "a skill of the workspace",
    "/v1/messages",
    { ...messages("hi"), container: { skills: [{ type: "custom", skill_id: "skill_1" }] } },
  ],
  ["cachedContent", generate, { ...parts({ text: "hi" }), cachedContent: "cachedContents/1" }],
  ["cached_content", generate, { ...parts({ text: "hi" }), cached_content: "cachedContents/1" }],
  [
    "a file of the Files API",
    generate,
    parts({ fileData: { fileUri: "https://generativelanguage.googleapis.com/v1beta/files/1" } }),
  ],
  ["a file by its name", generate, parts({ file_data: { file_uri: "files/1" } })],
  ["a file of a bucket", generate, parts({ fileData: { fileUri: "gs://bucket/1.pdf" } })],
  [
    "stores of files",
    generate,
    {
      ...parts({ text: "hi" }),
      tools: [{ fileSearch: { fileSearchStoreNames: ["fileSearchStores/1"] } }],
    },
  ],
  [
    "a data store",
    generate,
    { ...parts({ text: "hi" }), tools: [{ retrieval: { vertexAiSearch: { datastore: "d" } } }] },
  ],
  ["a file", "/v1/chat/completions", chat([{ type: "file", file: { file_id: "file-1" } }])],
  [
    "a file of Moonshot",
    "/v1/chat/completions",
    chat([{ type: "video_url", video_url: { url: "ms://1" } }]),
  ],
  [
    "a file of Google",
    "/v1/chat/completions",
    chat([
      {
        type: "image_url",
        image_url: { url: "https:\\/\\/generativelanguage.googleapis.com/v1beta/files/1" },
      },
    ]),
  ],
  [
    "a knowledge base",
    "/v1/chat/completions",
    { ...chat("hi"), tools: [{ type: "retrieval", retrieval: { knowledge_id: "1" } }] },
  ],
  [
    "a voice",
    "/v1/chat/completions",
    { ...chat("hi"), audio: { format: "wav", voice: { id: "voice_1" } } },
  ],
  ["a voice", "/v1/audio/speech", { model: "m", input: "hi", voice: { id: "voice_1" } }],
  ["a picture", "/v1/images/edits", { model: "m", prompt: "hi", images: [{ file_id: "file-1" }] }],
  [
    "a file among texts for vectors",
    "/v1beta/models/other:embedContent",
    { content: { parts: [{ fileData: { fileUri: "gs://bucket/1.png" } }] } },
  ],
];

/** Addresses of what an account keeps, in as many ways as servers may read them. */
const keptAddresses = [
  "https://generativelanguage.googleapis.com/v1beta/files/1",
  "generativelanguage.googleapis.com/v1beta/files/1",
  "//generativelanguage.googleapis.com/v1beta/files/1",
  "https://generativelanguage.googleapis.com./v1beta/files/1",
  "https://generativelanguage.googleapis.com:99999/v1beta/files/1",
  "https://example.com\\\\@generativelanguage.googleapis.com/v1beta/files/1",
  "files/abc",
  "Files/1",
  "\u{200b}files/1",
  "gs://bucket/x.pdf",
  "oss://1",
  "ms://1",
];

const keptPlaces: readonly (readonly [
  name: string,
  path: string,
  body: (address: string) => Body,
])[] = [
  [
    "file_data",
    "/v1/chat/completions",
    (text) => chat([{ type: "file", file: { filename: "a.pdf", file_data: text } }]),
  ],
  [
    "input_audio",
    "/v1/chat/completions",
    (text) => chat([{ type: "input_audio", input_audio: { data: text, format: "wav" } }]),
  ],
  ["video", "/v1/chat/completions", (text) => chat([{ type: "video", video: [text] }])],
  ["image", "/v1/images/edits", (text) => ({ model: "m", prompt: "hi", image: text })],
  [
    "file_data",
    "/v1/responses",
    (text) => input([{ type: "input_file", filename: "a.pdf", file_data: text }]),
  ],
  [
    "file_data in a tool's result",
    "/v1/responses",
    (text) => ({
      model: "m",
      input: [
        { type: "function_call", call_id: "c", name: "f", arguments: "{}" },
        {
          type: "function_call_output",
          call_id: "c",
          output: [{ type: "input_file", filename: "a.pdf", file_data: text }],
        },
      ],
    }),
  ],
  [
    "url",
    "/v1/messages",
    (text) => messages([{ type: "document", source: { type: "url", url: text } }]),
  ],
  ["fileUri", generate, (text) => parts({ fileData: { fileUri: text } })],
];

for (const [name, path, bodyOf] of keptPlaces) {
  test(`the address of what an account keeps is refused: ${name} at ${path}`, async () => {
    const { ask, upstream } = await open();
    for (const address of keptAddresses) {
      const { status, text } = await ask(testUser.id, path, bodyOf(address));
      expect([address, status, upstream.requests.length]).toEqual([address, 400, 0]);
      expect(text).toContain("Ids are shared");
    }
  });
}

test("addresses of the web and files themselves go on", async () => {
  const { ask } = await open();
  const bytes = "JVBERi0xLjQKJ".repeat(5);
  for (const [name, path, bodyOf] of keptPlaces) {
    for (const text of [
      "https://example.com/a.pdf?x=1",
      "HTTP://user:word@example.com:8080",
      `data:application/pdf;base64,${bytes}`,
      bytes,
      "\\/9j\\/4AAQ".repeat(2_000),
    ]) {
      const { status } = await ask(testUser.id, path, bodyOf(text));
      expect([name, path, text.slice(0, 40), status]).toEqual([name, path, text.slice(0, 40), 200]);
    }
  }
  const short = chat([{ type: "file", file: { filename: "a.txt", file_data: "aGVsbG8=" } }]);
  expect((await ask(testUser.id, "/v1/chat/completions", short)).status).toBe(200);
  const action = { type: "open_page", url: "www.example.com/a" };
  const item = { type: "web_search_call", status: "completed", action };
  const paged = { model: "m", input: [item, user("hi")] };
  expect((await ask(testUser.id, "/v1/responses", paged)).status).toBe(200);
});

test("a file is not taken for output of a tool", async () => {
  const { ask, upstream } = await open();
  for (const type of ["computer_call_output", "some_output"]) {
    const body = { model: "m", input: [{ type, call_id: "c", file_id: "file-1" }, user("hi")] };
    expect((await ask(testUser.id, "/v1/responses", body)).status).toBe(400);
  }
  expect(upstream.requests.length).toBe(0);
});

for (const [name, path, body] of foreignCases) {
  test(`what no answer gives is refused unless ids are shared: ${name} at ${path}`, async () => {
    const apart = await open();
    const refused = await apart.ask(testUser.id, path, body);
    expect([refused.status, apart.upstream.requests.length]).toEqual([400, 0]);
    expect(refused.text).toContain("Ids are shared");
    expect(apart.relay.money.held).toBe(0);

    const shared = await open({ sharesIds: true });
    await shared.ask(testUser.id, path, body);
    // Some of these have no such field at this upstream; the gateway lets them go there.
    expect(shared.upstream.requests.length).toBeGreaterThanOrEqual(path.includes("speech") ? 0 : 1);
  });
}

test("on a channel whose ids are shared, one user continues what another began", async () => {
  const { ask, upstream } = await open({ sharesIds: true });
  expect((await ask(7, "/v1/responses", input("hi"))).status).toBe(200);
  const again = { ...input("hi"), previous_response_id: "resp_1" };
  expect((await ask(8, "/v1/responses", again)).status).toBe(200);
  const unknown = { ...input("hi"), previous_response_id: "resp_of_before" };
  expect((await ask(8, "/v1/responses", unknown)).status).toBe(200);
  expect(upstream.requests.length).toBe(3);
});

test("names in data of tools, schemas and texts mean nothing", async () => {
  const { ask } = await open();
  const schema = { type: "object", properties: { file_id: { type: "string" }, url: {} } };
  const bodies: readonly (readonly [path: string, body: Body])[] = [
    ["/v1/responses", { ...tools({ type: "function", name: "f", parameters: schema }) }],
    ["/v1/responses", { ...input("hi"), metadata: { file_id: "1" }, previous_response_id: null }],
    ["/v1/responses", { ...input("hi"), client_metadata: { thread_id: "1" } }],
    [
      "/v1/responses",
      {
        model: "m",
        input: [
          {
            type: "message",
            id: "msg_foreign",
            role: "assistant",
            content: [
              {
                type: "output_text",
                text: "4",
                annotations: [{ type: "container_file_citation", file_id: "f", container_id: "c" }],
              },
            ],
          },
          { type: "reasoning", id: "rs_foreign", summary: [], encrypted_content: "sealed" },
          {
            type: "function_call",
            id: "fc_1",
            call_id: "c",
            name: "f",
            arguments: '{"file_id":1}',
          },
          { type: "function_call_output", call_id: "c", output: '{"file_id":"1"}' },
          {
            type: "reasoning",
            id: "rs_tollgate_1_0",
            summary: [{ type: "summary_text", text: "x" }],
          },
        ],
      },
    ],
    [
      "/v1/messages",
      {
        ...messages("hi"),
        tools: [{ name: "f", input_schema: schema }],
        messages: [
          user("hi"),
          {
            role: "assistant",
            content: [
              { type: "tool_use", id: "t", name: "f", input: { file_id: "1", container: "c" } },
              {
                type: "code_execution_tool_result",
                tool_use_id: "t",
                content: { content: [{ type: "code_execution_output", file_id: "file_1" }] },
              },
            ],
          },
          user([{ type: "image", source: { type: "url", url: "https://example.com/a.png" } }]),
        ],
      },
    ],
    [
      generate,
      {
        contents: [
          { role: "model", parts: [{ functionCall: { name: "f", args: { fileUri: "gs://1" } } }] },
          {
            role: "user",
            parts: [{ functionResponse: { name: "f", response: { cachedContent: "1" } } }],
          },
          { role: "user", parts: [{ fileData: { fileUri: "https://youtu.be/1" } }] },
        ],
      },
    ],
    [
      "/v1/chat/completions",
      {
        ...chat([
          { type: "text", text: 'say {"file_id":"1"}' },
          { type: "image_url", image_url: { url: `data:image/png;base64,${"A".repeat(20_000)}` } },
        ]),
        audio: { format: "wav", voice: "alloy" },
        functions: [{ name: "f", parameters: schema }],
      },
    ],
  ];
  for (const [path, body] of bodies) {
    const { status, text } = await ask(testUser.id, path, body);
    expect([path, status, status === 200 ? "" : text]).toEqual([path, 200, ""]);
  }
});

test("a request that names more than anybody needs is refused, and not read to its end", async () => {
  const { ask, upstream } = await open();
  const own = { model: "m", input: "hi" };
  expect((await ask(testUser.id, "/v1/responses", own)).status).toBe(200);
  const item = { type: "item_reference", id: "msg_1" };
  const bodies: readonly Body[] = [
    { model: "m", input: Array.from({ length: 60_000 }, () => ({ id: "msg_1" })) },
    {
      model: "m",
      input: [{ ...item, id: [...Array.from({ length: 2_000 }, () => "msg_1"), "x"] }],
    },
    { model: "m", input: Array.from({ length: 1_001 }, (_, index) => ({ id: `msg_${index}` })) },
  ];
  for (const body of bodies) {
    expect((await ask(testUser.id, "/v1/responses", body)).status).toBe(400);
  }
  expect(upstream.requests.length).toBe(1);
});
