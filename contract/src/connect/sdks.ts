/** Example code: the SDKs of OpenAI, Anthropic and Google, and curl. */

import {
  baseUrlOf,
  type Block,
  type Client,
  type ConnectValues,
  textOf,
  type Wire,
} from "./client.ts";

const greeting = "Hello!";

type Sdk = Pick<Client, "id" | "install" | "name" | "prefers" | "wire"> & {
  readonly language: string;
  readonly code: (values: ConnectValues) => readonly string[];
};

const ofOpenAi = { wire: "chat", prefers: ["gpt", "chat"] } as const;
const ofAnthropic = { wire: "messages", prefers: ["claude", "messages"] } as const;
const ofGoogle = { wire: "gemini", prefers: ["gemini"] } as const;

const listed: readonly Sdk[] = [
  {
    ...ofOpenAi,
    id: "openai-python",
    name: "OpenAI · Python",
    install: "pip install openai",
    language: "python",
    code: ({ origin, key, model }) => [
      "from openai import OpenAI",
      "",
      "client = OpenAI(",
      `    base_url=${textOf(baseUrlOf("chat", origin))},`,
      `    api_key=${textOf(key)},`,
      ")",
      "answer = client.chat.completions.create(",
      `    model=${textOf(model)},`,
      `    messages=[{"role": "user", "content": ${textOf(greeting)}}],`,
      ")",
      "print(answer.choices[0].message.content)",
    ],
  },
  {
    ...ofOpenAi,
    id: "openai-js",
    name: "OpenAI · JavaScript",
    install: "npm install openai",
    language: "javascript",
    code: ({ origin, key, model }) => [
      'import OpenAI from "openai";',
      "",
      "const client = new OpenAI({",
      `  baseURL: ${textOf(baseUrlOf("chat", origin))},`,
      `  apiKey: ${textOf(key)},`,
      "});",
      "const answer = await client.chat.completions.create({",
      `  model: ${textOf(model)},`,
      `  messages: [{ role: "user", content: ${textOf(greeting)} }],`,
      "});",
      "console.log(answer.choices[0].message.content);",
    ],
  },
  {
    ...ofAnthropic,
    id: "anthropic-python",
    name: "Anthropic · Python",
    install: "pip install anthropic",
    language: "python",
    code: ({ origin, key, model }) => [
      "from anthropic import Anthropic",
      "",
      "client = Anthropic(",
      `    base_url=${textOf(baseUrlOf("messages", origin))},`,
      `    api_key=${textOf(key)},`,
      ")",
      "answer = client.messages.create(",
      `    model=${textOf(model)},`,
      "    max_tokens=1024,",
      `    messages=[{"role": "user", "content": ${textOf(greeting)}}],`,
      ")",
      'print("".join(part.text for part in answer.content if part.type == "text"))',
    ],
  },
  {
    ...ofAnthropic,
    id: "anthropic-js",
    name: "Anthropic · JavaScript",
    install: "npm install @anthropic-ai/sdk",
    language: "javascript",
    code: ({ origin, key, model }) => [
      'import Anthropic from "@anthropic-ai/sdk";',
      "",
      "const client = new Anthropic({",
      `  baseURL: ${textOf(baseUrlOf("messages", origin))},`,
      `  apiKey: ${textOf(key)},`,
      "});",
      "const answer = await client.messages.create({",
      `  model: ${textOf(model)},`,
      "  max_tokens: 1024,",
      `  messages: [{ role: "user", content: ${textOf(greeting)} }],`,
      "});",
      'for (const part of answer.content) if (part.type === "text") console.log(part.text);',
    ],
  },
  {
    ...ofGoogle,
    id: "google-python",
    name: "Google · Python",
    install: "pip install google-genai",
    language: "python",
    code: ({ origin, key, model }) => [
      "from google import genai",
      "",
      "client = genai.Client(",
      `    api_key=${textOf(key)},`,
      `    http_options={"base_url": ${textOf(baseUrlOf("gemini", origin))}},`,
      ")",
      "answer = client.models.generate_content(",
      `    model=${textOf(model)},`,
      `    contents=${textOf(greeting)},`,
      ")",
      "print(answer.text)",
    ],
  },
  {
    ...ofGoogle,
    id: "google-js",
    name: "Google · JavaScript",
    install: "npm install @google/genai",
    language: "javascript",
    code: ({ origin, key, model }) => [
      'import { GoogleGenAI } from "@google/genai";',
      "",
      "const client = new GoogleGenAI({",
      `  apiKey: ${textOf(key)},`,
      `  httpOptions: { baseUrl: ${textOf(baseUrlOf("gemini", origin))} },`,
      "});",
      "const answer = await client.models.generateContent({",
      `  model: ${textOf(model)},`,
      `  contents: ${textOf(greeting)},`,
      "});",
      "console.log(answer.text);",
    ],
  },
];

const curl: Client = {
  ...ofOpenAi,
  id: "curl",
  name: "curl",
  kind: "sdk",
  install: "",
  run: "",
  changes: () => [],
  blocks: (values) =>
    (["chat", "responses", "messages", "gemini"] as const).map((wire) => curlOf(wire, values)),
};

export const sdks: readonly Client[] = [
  ...listed.map(({ language, code, ...sdk }): Client => {
    const blocks = (values: ConnectValues): readonly Block[] => [
      { kind: "code", language, text: code(values).join("\n") },
    ];
    return { ...sdk, kind: "sdk", run: "", changes: () => [], blocks };
  }),
  curl,
];

/** Curl reads the key from its input: an argument would stand in the list of processes. */
function curlOf(wire: Wire, { origin, key, model }: ConnectValues): Block {
  const messages = [{ role: "user", content: greeting }];
  const path = `/v1beta/models/${encodeURIComponent(model)}:generateContent`;
  const contents = [{ role: "user", parts: [{ text: greeting }] }];
  const call = {
    chat: ["/v1/chat/completions", `Authorization: Bearer ${key}`, { model, messages }],
    responses: ["/v1/responses", `Authorization: Bearer ${key}`, { model, input: greeting }],
    messages: ["/v1/messages", `x-api-key: ${key}`, { model, max_tokens: 1024, messages }],
    gemini: [path, `x-goog-api-key: ${key}`, { contents }],
  } as const;
  const [rest, header, body] = call[wire];
  const lines = [
    `curl ${origin}${rest} --config - <<'END'`,
    `header = ${textOf(header)}`,
    'header = "Content-Type: application/json"',
    `data = ${textOf(JSON.stringify(body))}`,
    "END",
  ];
  return { kind: "code", language: "bash", text: lines.join("\n") };
}
