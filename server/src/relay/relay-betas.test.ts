/**
 * T12: the words of the header `anthropic-beta` go to Anthropic only. Others that speak its format,
 * and Bedrock and Vertex, answer calls with words that they do not know with status 400.
 */

import { expect, test } from "bun:test";
import { jsonAnswer, startUpstream } from "#network/testing/upstream.ts";
import { anthropic } from "#providers/anthropic.ts";
import { bedrock } from "#providers/bedrock.ts";
import { deepseek } from "#providers/deepseek.ts";
import { moonshot } from "#providers/moonshot.ts";
import { openai } from "#providers/openai.ts";
import type { Provider } from "#providers/provider.ts";
import { vertex } from "#providers/vertex.ts";
import { zhipuV4 } from "#providers/zhipu-v4.ts";
import { openTestRelay, testChannel, testKey } from "./testing/relay.ts";

const answer = {
  type: "message",
  role: "assistant",
  content: [{ type: "text", text: "hi" }],
  stop_reason: "end_turn",
  usage: { input_tokens: 10, output_tokens: 5 },
};

const asked = {
  model: "claude-sonnet-4-5",
  max_tokens: 32_000,
  messages: [{ role: "user", content: "hi" }],
  context_management: { edits: [{ type: "clear_thinking_20251015", keep: "all" }] },
};

/** Lets the provider speak Messages at the test's address, which is not its own. */
function anywhere(provider: Provider): Provider {
  const messages = provider.formats["anthropic-messages"];
  if (messages === undefined) return provider;
  return { ...provider, formats: { "anthropic-messages": { ...messages, onlyAtHome: false } } };
}

/** Returns the request that a provider gets of Claude Code's. */
async function askedOf(provider: Provider, key: string, headers: Record<string, string>) {
  const upstream = await startUpstream((socket) => socket.end(jsonAnswer(JSON.stringify(answer))));
  const relay = openTestRelay({
    channels: [
      testChannel({
        baseUrl: upstream.url,
        provider: anywhere(provider),
        keys: [key],
        models: new Set(["m"]),
        modelMapping: new Map([["m", asked.model]]),
      }),
    ],
  });
  const sent = await fetch(`${relay.url}/v1/messages?beta=true`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${testKey}`,
      "content-type": "application/json",
      "anthropic-version": "2023-06-01",
      ...headers,
    },
    body: JSON.stringify({ ...asked, model: "m" }),
  });
  await sent.text();
  await relay.stop();
  await upstream.stop();
  const [head = "", body = ""] = (upstream.requests[0] ?? "").split("\r\n\r\n");
  return { head: head.toLowerCase(), body };
}

const betas = { "anthropic-beta": "claude-code-20250219,context-management-2025-06-27" };

test("T12: Anthropic gets the words of anthropic-beta, and what needs them", async () => {
  const { head, body } = await askedOf(anthropic, "k", betas);

  expect(head).toContain(`anthropic-beta: ${betas["anthropic-beta"]}`);
  expect(body).toContain("context_management");
});

for (const [provider, key] of [
  [bedrock, "AKIDEXAMPLE|secret|us-east-1"],
  [deepseek, "k"],
  [moonshot, "k"],
  [openai, "k"],
  [vertex, "k"],
  [zhipuV4, "k"],
] as const) {
  test(`T12: ${provider.label} gets no word of anthropic-beta`, async () => {
    const { head } = await askedOf(provider, key, betas);

    expect(head).toStartWith("post ");
    expect(head).not.toContain("beta: ");
    expect(head.includes("anthropic-version: ")).toBe(
      anywhere(provider).formats["anthropic-messages"] !== undefined,
    );
  });
}

test("T12: Vertex gets no context editing, which it takes with a word of anthropic-beta only", async () => {
  const { body } = await askedOf(vertex, "k", betas);

  expect(JSON.parse(body)).toMatchObject({ max_tokens: 32_000, messages: asked.messages });
  expect(body).not.toContain("context_management");
});
