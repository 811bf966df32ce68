/** What upstreams are sent whose format no client speaks: each carries the whole conversation. */

import { expect, test } from "bun:test";
import { type CanonicalRequest, defaultSampling, noHints, textPart } from "#canonical/request.ts";
import { type TranslatedFormatId, translations } from "./translation-registry.ts";

const schema = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };

const request: CanonicalRequest = {
  model: "m",
  items: [
    { type: "message", role: "system", parts: [textPart("Be brief.")] },
    {
      type: "message",
      role: "user",
      parts: [
        textPart("Which city is this?"),
        {
          type: "media",
          kind: "image",
          source: { type: "bytes", data: "aW1hZ2U=" },
          mediaType: "image/png",
          name: "",
          detail: null,
          cache: null,
        },
      ],
    },
    {
      type: "reasoning",
      text: "Paris, I think.",
      isSummary: false,
      opaque: null,
    },
    {
      type: "tool-call",
      callId: "call_1",
      name: "weather",
      argsText: '{"city":"Paris"}',
      form: "json",
      opaque: null,
      cache: null,
    },
    {
      type: "tool-result",
      callId: "call_1",
      name: "",
      parts: [textPart("rain")],
      failed: false,
      cache: null,
    },
  ],
  tools: [
    {
      type: "function",
      name: "weather",
      description: "Tells the weather.",
      parameters: schema,
      strict: null,
      cache: null,
    },
  ],
  toolChoice: null,
  parallelToolCalls: null,
  limits: { maxOutputTokens: 3_024, stopSequences: ["END"], count: 1 },
  sampling: { ...defaultSampling, temperature: 0.5, topP: 0.9, topK: 5, seed: 7 },
  reasoning: { effort: null, budgetTokens: 2_000, visible: null },
  output: { type: "json-schema", name: "a", description: "", schema, strict: null },
  media: null,
  hints: noHints,
  stream: true,
};

/** The request without its image, for formats of text alone. */
const textOnly: CanonicalRequest = {
  ...request,
  items: request.items.map((item) =>
    item.type === "message"
      ? { ...item, parts: item.parts.filter((part) => part.type !== "media") }
      : item,
  ),
};

const tools = [
  {
    type: "function",
    function: { name: "weather", description: "Tells the weather.", parameters: schema },
  },
];

/** A conversation of a Claude model, whose turn began with reasoning that Bedrock signed. */
const signed: CanonicalRequest = {
  ...request,
  model: "us.anthropic.claude-sonnet-4-5-v1:0",
  items: request.items.map((item) =>
    item.type === "reasoning"
      ? { ...item, opaque: { issuer: "bedrock", kind: "signature", value: "c2ln", id: "" } }
      : item,
  ),
};

const converseMessages = [
  {
    role: "user",
    content: [
      { text: "Which city is this?" },
      { image: { format: "png", source: { bytes: "aW1hZ2U=" } } },
    ],
  },
  {
    role: "assistant",
    content: [
      { reasoningContent: { reasoningText: { text: "Paris, I think.", signature: "c2ln" } } },
      { toolUse: { toolUseId: "call_1", name: "weather", input: { city: "Paris" } } },
    ],
  },
  {
    role: "user",
    content: [{ toolResult: { toolUseId: "call_1", content: [{ text: "rain" }] } }],
  },
];

const toolConfig = {
  tools: [
    {
      toolSpec: {
        name: "weather",
        description: "Tells the weather.",
        inputSchema: { json: schema },
      },
    },
  ],
};

const outputConfig = {
  textFormat: {
    type: "json_schema",
    structure: { jsonSchema: { name: "a", schema: JSON.stringify(schema) } },
  },
};

const expected: readonly [TranslatedFormatId, CanonicalRequest, object][] = [
  [
    "bedrock-converse",
    signed,
    {
      body: {
        messages: converseMessages,
        system: [{ text: "Be brief." }],
        // Reasoning is a part of the limit, which is that of the client.
        inferenceConfig: { maxTokens: 3_024, stopSequences: ["END"] },
        toolConfig,
        outputConfig,
        additionalModelRequestFields: { thinking: { type: "enabled", budget_tokens: 2_000 } },
      },
      losses: ["top_k", "temperature", "seed"],
    },
  ],
  [
    "bedrock-invoke",
    { ...signed, model: "amazon.nova-pro-v1:0", reasoning: null },
    {
      body: {
        schemaVersion: "messages-v1",
        messages: converseMessages,
        system: [{ text: "Be brief." }],
        inferenceConfig: {
          maxTokens: 3_024,
          temperature: 0.5,
          topP: 0.9,
          stopSequences: ["END"],
        },
        toolConfig,
      },
      losses: ["top_k", "seed", "response_format"],
    },
  ],
  [
    "dashscope",
    request,
    {
      body: {
        model: "m",
        input: {
          messages: [
            { role: "system", content: "Be brief." },
            {
              role: "user",
              content: [
                { text: "Which city is this?" },
                { image: "data:image/png;base64,aW1hZ2U=" },
              ],
            },
            {
              role: "assistant",
              content: "",
              reasoning_content: "Paris, I think.",
              tool_calls: [
                {
                  id: "call_1",
                  type: "function",
                  function: { name: "weather", arguments: '{"city":"Paris"}' },
                },
              ],
            },
            { role: "tool", tool_call_id: "call_1", content: "rain" },
          ],
        },
        parameters: {
          result_format: "message",
          incremental_output: true,
          max_tokens: 3_024,
          temperature: 0.5,
          top_p: 0.9,
          top_k: 5,
          seed: 7,
          stop: ["END"],
          response_format: { type: "json_schema", json_schema: { name: "a", schema } },
          enable_thinking: true,
          thinking_budget: 2_000,
          tools,
        },
      },
      losses: [],
    },
  ],
  [
    "ollama",
    request,
    {
      body: {
        model: "m",
        messages: [
          { role: "system", content: "Be brief." },
          { role: "user", content: "Which city is this?", images: ["aW1hZ2U="] },
          {
            role: "assistant",
            content: "",
            thinking: "Paris, I think.",
            tool_calls: [{ function: { name: "weather", arguments: { city: "Paris" } } }],
          },
          { role: "tool", content: "rain", tool_name: "weather" },
        ],
        tools,
        format: schema,
        think: true,
        options: {
          num_predict: 3_024,
          temperature: 0.5,
          top_k: 5,
          top_p: 0.9,
          seed: 7,
          stop: ["END"],
        },
        stream: true,
      },
      losses: ["reasoning budget"],
    },
  ],
  [
    "cohere-v2",
    request,
    {
      body: {
        model: "m",
        messages: [
          { role: "system", content: "Be brief." },
          {
            role: "user",
            content: [
              { type: "text", text: "Which city is this?" },
              { type: "image_url", image_url: { url: "data:image/png;base64,aW1hZ2U=" } },
            ],
          },
          {
            role: "assistant",
            tool_plan: "Paris, I think.",
            tool_calls: [
              {
                id: "call_1",
                type: "function",
                function: { name: "weather", arguments: '{"city":"Paris"}' },
              },
            ],
          },
          { role: "tool", tool_call_id: "call_1", content: "rain" },
        ],
        tools,
        response_format: { type: "json_object", json_schema: schema },
        max_tokens: 3_024,
        stop_sequences: ["END"],
        temperature: 0.5,
        p: 0.9,
        k: 5,
        seed: 7,
        thinking: { type: "enabled", token_budget: 2_000 },
        stream: true,
      },
      losses: [],
    },
  ],
  [
    "cohere-v1",
    textOnly,
    {
      body: {
        model: "m",
        message: "",
        tool_results: [
          {
            call: { name: "weather", parameters: { city: "Paris" } },
            outputs: [{ output: "rain" }],
          },
        ],
        chat_history: [
          { role: "USER", message: "Which city is this?" },
          {
            role: "CHATBOT",
            message: "",
            tool_calls: [{ name: "weather", parameters: { city: "Paris" } }],
          },
        ],
        preamble: "Be brief.",
        tools: [
          {
            name: "weather",
            description: "Tells the weather.",
            parameter_definitions: { city: { description: "", type: "str", required: true } },
          },
        ],
        response_format: { type: "json_object", schema },
        max_tokens: 3_024,
        stop_sequences: ["END"],
        temperature: 0.5,
        p: 0.9,
        k: 5,
        seed: 7,
        stream: true,
      },
      losses: ["reasoning", "reasoning of earlier turns"],
    },
  ],
];

for (const [format, given, written] of expected) {
  test(`${format}: the upstream gets the whole conversation in its own words`, () => {
    expect(translations[format].upstream.writeRequest(given, {})).toEqual(written as never);
  });
}

test("media that an upstream cannot take are refused, not left out", () => {
  for (const format of ["cohere-v1"] as const) {
    expect(translations[format].upstream.writeRequest(request, {})).toMatchObject({
      code: "unsupported_parameter",
      param: "messages",
    });
  }
});

test("Claude behind InvokeModel gets Messages without the fields that the path has", () => {
  const { upstream } = translations["bedrock-invoke"];
  const model = "anthropic.claude-3-haiku-20240307-v1:0";
  const written = upstream.writeRequest({ ...request, model, reasoning: null, output: null }, {});

  expect(written).toMatchObject({
    body: {
      anthropic_version: "bedrock-2023-05-31",
      max_tokens: 3_024,
      system: [{ text: "Be brief." }],
    },
  });
  expect(Object.keys("body" in written ? written.body : {})).not.toContain("model");
  expect(Object.keys("body" in written ? written.body : {})).not.toContain("stream");
});

// Bedrock refuses a conversation with calls whose request has no tools.
test("T21: a conversation with calls keeps its tools though the client offers none any more", () => {
  const { upstream } = translations["bedrock-converse"];

  expect(upstream.writeRequest({ ...request, tools: [], output: null }, {})).toMatchObject({
    body: {
      toolConfig: {
        tools: [{ toolSpec: { name: "weather", inputSchema: { json: { type: "object" } } } }],
      },
    },
  });
});
