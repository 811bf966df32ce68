/**
 * Example code that calls the relay with a token, in curl, Python and Node.js. Pure functions; keys
 * and names are quoted as each language requires.
 */

import { isChatModel } from "@tollgate/contract/connect/clients.ts";

export const snippetKinds = ["curl", "python", "node"] as const;
export type SnippetKind = (typeof snippetKinds)[number];

type SnippetOf = {
  /** The server's address, without a slash at the end. */
  readonly serverUrl: string;
  /** The key, with the prefix `sk-`. */
  readonly key: string;
  readonly model: string;
};

type Snippet = { readonly code: string; readonly language: string };

/** Returns the base URL to configure in clients of OpenAI's format. */
export function openAiBaseUrl(serverUrl: string): string {
  return `${serverUrl}/v1`;
}

export function showSnippet(kind: SnippetKind, of: SnippetOf): Snippet {
  switch (kind) {
    case "curl":
      return { code: curl(of), language: "bash" };
    case "python":
      return { code: python(of), language: "python" };
    case "node":
      return { code: node(of), language: "javascript" };
  }
}

/** The model for an example, which is a chat completion; undefined: there are no models. */
export function firstChatModel(models: readonly string[]): string | undefined {
  return models.find(isChatModel) ?? models[0];
}

const greeting = "Hello!";

function curl({ serverUrl, key, model }: SnippetOf): string {
  const body = JSON.stringify({ model, messages: [{ role: "user", content: greeting }] });
  return [
    `curl ${openAiBaseUrl(serverUrl)}/chat/completions \\`,
    `  -H "Authorization: Bearer ${key}" \\`,
    `  -H "Content-Type: application/json" \\`,
    `  -d ${shellText(body)}`,
  ].join("\n");
}

function python({ serverUrl, key, model }: SnippetOf): string {
  return [
    "# pip install openai",
    "from openai import OpenAI",
    "",
    `client = OpenAI(base_url=${text(openAiBaseUrl(serverUrl))}, api_key=${text(key)})`,
    "answer = client.chat.completions.create(",
    `    model=${text(model)},`,
    `    messages=[{"role": "user", "content": ${text(greeting)}}],`,
    ")",
    "print(answer.choices[0].message.content)",
  ].join("\n");
}

function node({ serverUrl, key, model }: SnippetOf): string {
  return [
    "// npm install openai",
    'import OpenAI from "openai";',
    "",
    "const client = new OpenAI({",
    `  baseURL: ${text(openAiBaseUrl(serverUrl))},`,
    `  apiKey: ${text(key)},`,
    "});",
    "const answer = await client.chat.completions.create({",
    `  model: ${text(model)},`,
    `  messages: [{ role: "user", content: ${text(greeting)} }],`,
    "});",
    "console.log(answer.choices[0].message.content);",
  ].join("\n");
}

/**
 * Writes a text as a literal: JSON's notation of strings is also valid in Python and JavaScript.
 */
function text(value: string): string {
  return JSON.stringify(value);
}

function shellText(value: string): string {
  return `'${value.replaceAll("'", `'\\''`)}'`;
}
