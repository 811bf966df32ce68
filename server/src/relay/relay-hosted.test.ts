/** Tools that providers run, and files that they keep, for clients and upstreams of different formats. */

import { describe, expect, test } from "bun:test";
import type { JsonObject } from "#base/json.ts";
import { ali } from "#providers/ali.ts";
import { anthropic } from "#providers/anthropic.ts";
import { gemini } from "#providers/gemini.ts";
import { openrouter } from "#providers/openrouter.ts";
import type { Provider } from "#providers/provider.ts";
import { zhipuV4 } from "#providers/zhipu-v4.ts";
import { ask, chatOnly, chatText, eventsOf, jsonOf, responsesOnly } from "./testing/translated.ts";

const said = [{ type: "text", text: "ok" }];
const okText = [{ type: "output_text", text: "ok" }];
const output = [{ type: "message", id: "msg_1", role: "assistant", content: okText }];
const answers = {
  chat: chatText("ok"),
  anthropic: jsonOf({ id: "m", type: "message", content: said, stop_reason: "end_turn" }),
  responses: jsonOf({ id: "r", object: "response", status: "completed", output }),
  gemini: jsonOf({ candidates: [{ content: { parts: [{ text: "ok" }] }, finishReason: "STOP" }] }),
};

type Upstream = keyof typeof answers;
const providers: Readonly<Record<Upstream, Provider>> = {
  chat: chatOnly,
  anthropic,
  responses: responsesOnly,
  gemini,
};

const hi = { role: "user", content: "hi" };
const clients = {
  chat: ["/v1/chat/completions", { messages: [hi] }],
  anthropic: ["/v1/messages", { max_tokens: 50, messages: [hi] }],
  responses: ["/v1/responses", { input: "hi" }],
  gemini: [
    "/v1beta/models/m:generateContent",
    { contents: [{ role: "user", parts: [{ text: "hi" }] }] },
  ],
} as const;

async function send(
  client: keyof typeof clients,
  more: object,
  upstream: Upstream,
  provider: Provider = providers[upstream],
) {
  const [path, fields] = clients[client];
  const model = client === "gemini" ? {} : { model: "m" };
  const body = { ...model, ...fields, ...more };
  const asked = await ask(provider, () => answers[upstream], path, body);
  // Safe cast: the relay wrote it.
  const sent = (asked.sent === "" ? {} : JSON.parse(asked.sent)) as JsonObject;
  return { ...asked, body: sent };
}

const approximate = { country: "FR", city: "Paris" };
const place = { type: "approximate", ...approximate };
const searches = {
  chat: {
    web_search_options: {
      search_context_size: "low",
      user_location: { type: "approximate", approximate },
    },
  },
  anthropic: {
    tools: [{ type: "web_search_20250305", name: "web_search", user_location: place }],
  },
  responses: {
    tools: [{ type: "web_search", search_context_size: "low", user_location: place }],
  },
  gemini: { tools: [{ googleSearch: {} }] },
} as const;

describe("a search of the web", () => {
  for (const client of ["chat", "anthropic", "responses", "gemini"] as const) {
    const where = client === "gemini" ? {} : { user_location: place };
    const wanted = {
      anthropic: { tools: [{ type: "web_search_20250305", name: "web_search", ...where }] },
      responses: { tools: [{ type: "web_search", ...where }] },
      gemini: { tools: [{ googleSearch: {} }] },
    };
    for (const [upstream, fields] of Object.entries(wanted)) {
      if (upstream === client) continue;
      test(`that a client of ${client} asks for is asked of ${upstream}`, async () => {
        // Safe cast: a key of the object above.
        const { status, body } = await send(client, searches[client], upstream as Upstream);
        expect(status).toBe(200);
        expect(body).toMatchObject(fields);
      });
    }
  }

  test("is asked of vendors of chat completions in their own words, and is named where they have none", async () => {
    const found = async (provider: Provider) =>
      await send("responses", searches.responses, "chat", provider);
    const { chat: options } = searches;
    expect((await found(openrouter)).body).toMatchObject(options);
    expect((await found(ali)).body).toMatchObject({ enable_search: true });
    expect((await found(zhipuV4)).body).toMatchObject({ tools: [{ type: "web_search" }] });
    const { body, losses } = await found(chatOnly);
    expect(JSON.stringify(body)).not.toContain("search");
    expect(losses).toContain("tools.web_search");
  });

  test("keeps its domains where the other side has words for them, and names them elsewhere", async () => {
    const filters = { allowed_domains: ["example.com"] };
    const tools = [{ type: "web_search", filters }];
    const there = await send("responses", { tools }, "anthropic");
    expect(there.body).toMatchObject({ tools: [filters] });
    const blocked = [
      { type: "web_search_20250305", name: "web_search", blocked_domains: ["x.com"] },
    ];
    const back = await send("anthropic", { tools: blocked }, "responses");
    expect(back.losses).toContain("tools.web_search.blocked_domains");
    expect((await send("responses", { tools }, "gemini")).losses).toContain(
      "tools.web_search.filters",
    );
  });

  test("that is demanded is demanded of the upstream, or the call is refused", async () => {
    const forced = { ...searches.responses, tool_choice: { type: "web_search" } };
    expect((await send("responses", forced, "anthropic")).body).toMatchObject({
      tool_choice: { type: "tool", name: "web_search" },
    });
    const named = { ...searches.anthropic, tool_choice: { type: "tool", name: "web_search" } };
    expect((await send("anthropic", named, "responses")).body).toMatchObject({
      tool_choice: { type: "web_search" },
    });
    for (const upstream of ["chat", "gemini"] as const) {
      for (const [client, body] of [
        ["responses", forced],
        ["anthropic", named],
      ] as const) {
        const { status, sent, text } = await send(client, body, upstream);
        expect([status, sent, text.includes("tool_choice")]).toEqual([400, "", true]);
      }
    }
  });
});

test("tools of a server are the same in Responses and Messages, and others are not given them", async () => {
  const server = { type: "mcp", server_label: "docs", server_url: "https://mcp.example/sse" };
  const tools = [{ ...server, authorization: "secret", allowed_tools: ["read"] }];
  const there = await send("responses", { tools }, "anthropic");
  expect(there.body).toMatchObject({
    mcp_servers: [
      {
        type: "url",
        url: "https://mcp.example/sse",
        name: "docs",
        authorization_token: "secret",
        tool_configuration: { enabled: true, allowed_tools: ["read"] },
      },
    ],
  });
  const back = await send("anthropic", { mcp_servers: there.body["mcp_servers"] }, "responses");
  expect(back.body).toMatchObject({ tools });
  const toolset = {
    type: "mcp_toolset",
    mcp_server_name: "docs",
    default_config: { enabled: false },
    configs: { read: { enabled: true } },
  };
  const newer = {
    mcp_servers: [{ type: "url", url: "https://mcp.example/sse", name: "docs" }],
    tools: [toolset],
  };
  expect((await send("anthropic", newer, "responses")).body).toMatchObject({
    tools: [{ ...server, allowed_tools: ["read"] }],
  });
  for (const upstream of ["chat", "gemini"] as const) {
    const { sent, losses } = await send("responses", { tools }, upstream);
    expect([sent.includes("secret"), losses]).toEqual([false, "tools.mcp"]);
  }
});

test("running code is the same at OpenAI, Anthropic and Google", async () => {
  const tools = {
    responses: { type: "code_interpreter", container: { type: "auto" } },
    anthropic: { type: "code_execution_20250825", name: "code_execution" },
    gemini: { codeExecution: {} },
  } as const;
  for (const client of ["responses", "anthropic", "gemini"] as const) {
    for (const upstream of ["responses", "anthropic", "gemini"] as const) {
      if (client === upstream) continue;
      const { body } = await send(client, { tools: [tools[client]] }, upstream);
      expect(body).toMatchObject({ tools: [tools[upstream]] });
    }
    const { losses } = await send(client, { tools: [tools[client]] }, "chat");
    expect(losses).toMatch(/^tools\.code/);
  }
});

test("older models of Google get no tool of theirs beside functions, which they refuse", async () => {
  const call = { type: "function", name: "f", parameters: { type: "object" } };
  const tools = [{ type: "web_search" }, call];
  const { body, losses } = await send("responses", { tools }, "gemini");
  expect(JSON.stringify(body)).not.toContain("googleSearch");
  expect(losses).toContain("tools.web_search");
});

describe("sources of an answer", () => {
  const text = "Sun ☀ in Paris.";
  const url_citation = { type: "url_citation", url: "https://w.example", title: "Weather" };
  const annotations = [{ ...url_citation, start_index: 6, end_index: 14 }];
  const content = [{ type: "output_text", text, annotations }];
  const message = { id: "msg_1", type: "message", role: "assistant", content };
  const response = { id: "r", object: "response", model: "m", status: "completed" };
  const whole = jsonOf({ ...response, output: [message] });
  const place = { output_index: 0, item_id: "msg_1" };
  const streamed = eventsOf(
    { type: "response.output_text.delta", ...place, delta: text },
    { type: "response.output_text.annotation.added", ...place, annotation: annotations[0] },
    { type: "response.completed", response: { ...response, output: [message] } },
  );
  const grounding = {
    groundingChunks: [{ web: { uri: "https://w.example", title: "Weather" } }],
    // The sign takes three bytes.
    groundingSupports: [
      { segment: { startIndex: 8, endIndex: 16, text: "in Paris" }, groundingChunkIndices: [0] },
    ],
  };

  for (const how of ["generateContent", "streamGenerateContent?alt=sse"]) {
    test(`reach a client of ${how} with the part of the text that they support`, async () => {
      const answer = how === "generateContent" ? whole : streamed;
      const [, body] = clients.gemini;
      const path = `/v1beta/models/m:${how}`;
      const asked = await ask(responsesOnly, () => answer, path, body);
      expect(asked.text).toContain(JSON.stringify(grounding).slice(1, -1));
    });
  }
});

describe("a file by an id of one vendor is refused at another, by the name of the field", () => {
  const file = (fields: object) => ({ role: "user", content: [fields] });
  const uploaded = "https://generativelanguage.googleapis.com/v1beta/files/abc";
  const cases = [
    [
      "chat",
      { messages: [file({ type: "file", file: { file_id: "file-1" } })] },
      ["anthropic", "gemini"],
      "messages[].content[].file.file_id",
    ],
    [
      "responses",
      { input: [file({ type: "input_file", file_id: "file-1" })] },
      ["anthropic", "gemini"],
      "input[].content[].file_id",
    ],
    [
      "responses",
      { input: [file({ type: "input_image", file_id: "file-1" })] },
      ["anthropic", "gemini"],
      "input[].content[].file_id",
    ],
    [
      "anthropic",
      { messages: [file({ type: "document", source: { type: "file", file_id: "file_1" } })] },
      ["chat", "responses", "gemini"],
      "messages[].content[].source.file_id",
    ],
    [
      "anthropic",
      { messages: [file({ type: "container_upload", file_id: "file_1" })] },
      ["chat", "responses", "gemini"],
      "messages[].content[].file_id",
    ],
    [
      "gemini",
      { contents: [{ parts: [{ fileData: { mimeType: "application/pdf", fileUri: uploaded } }] }] },
      ["chat", "responses", "anthropic"],
      "contents[].parts[].fileData.fileUri",
    ],
  ] as const;
  for (const [client, body, upstreams, field] of cases) {
    for (const upstream of upstreams) {
      test(`${client} to ${upstream}: ${field}`, async () => {
        const [path, fields] = clients[client];
        const channel = { sharesIds: true };
        const model = client === "gemini" ? {} : { model: "m" };
        const request = { ...model, ...fields, ...body };
        const asked = await ask(
          providers[upstream],
          () => answers[upstream],
          path,
          request,
          channel,
        );

        expect([asked.status, asked.sent]).toEqual([400, ""]);
        expect(asked.text).toContain("files of another provider");
        expect(asked.relay.money.settled).toEqual([]);
        if (client !== "anthropic" && client !== "gemini") expect(asked.text).toContain(field);
      });
    }
  }

  test("and goes on between formats of the same vendor", async () => {
    const [path, fields] = clients.chat;
    const messages = [file({ type: "file", file: { file_id: "file-1" } })];
    const request = { model: "m", ...fields, messages };
    const channel = { sharesIds: true };
    const asked = await ask(responsesOnly, () => answers.responses, path, request, channel);
    expect([asked.status, asked.sent.includes('"file_id":"file-1"')]).toEqual([200, true]);
  });
});
