/** Reasoning of earlier turns goes back to upstreams of chat completions that want it. */

import { expect, test } from "bun:test";
import type { JsonObject } from "#base/json.ts";
import { listOf, objectOf } from "#formats/shared/read-json.ts";
import { deepseek } from "#providers/deepseek.ts";
import { fireworks } from "#providers/fireworks.ts";
import { moonshot } from "#providers/moonshot.ts";
import { openai } from "#providers/openai.ts";
import { openrouter } from "#providers/openrouter.ts";
import type { Provider } from "#providers/provider.ts";
import { vllm } from "#providers/vllm.ts";
import { volcengine } from "#providers/volcengine.ts";
import { zhipuV4 } from "#providers/zhipu-v4.ts";
import type { ChannelView } from "#ports/snapshot.ts";
import { ask, chatText } from "./testing/translated.ts";

const thought = "The user wants the weather.";

/** The second turn of a conversation whose first thought and called a tool, in each client format. */
const turns = {
  "/v1/messages": {
    model: "m",
    max_tokens: 50,
    messages: [
      { role: "user", content: "hi" },
      {
        role: "assistant",
        content: [
          { type: "thinking", thinking: thought, signature: "" },
          { type: "tool_use", id: "c", name: "weather", input: {} },
        ],
      },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "c", content: "sun" }] },
    ],
  },
  "/v1/responses": {
    model: "m",
    input: [
      { role: "user", content: "hi" },
      { type: "reasoning", summary: [{ type: "summary_text", text: thought }] },
      { type: "function_call", call_id: "c", name: "weather", arguments: "{}" },
      { type: "function_call_output", call_id: "c", output: "sun" },
    ],
  },
  "/v1beta/models/m:generateContent": {
    contents: [
      { role: "user", parts: [{ text: "hi" }] },
      {
        role: "model",
        parts: [{ text: thought, thought: true }, { functionCall: { name: "weather", args: {} } }],
      },
      {
        role: "user",
        parts: [{ functionResponse: { name: "weather", response: { result: "sun" } } }],
      },
    ],
  },
} as const;

type Path = keyof typeof turns;
const paths = Object.keys(turns) as Path[];

/** Returns the turn of the model as the upstream gets it, and what was lost. */
async function turnSent(provider: Provider, path: Path, given: Partial<ChannelView>) {
  const chat = provider.formats["openai-chat"];
  const only = { ...provider, formats: chat === undefined ? {} : { "openai-chat": chat } };
  const asked = await ask(only, () => chatText("ok"), path, turns[path], given);
  const messages = listOf((JSON.parse(asked.sent) as JsonObject)["messages"]).map(objectOf);
  return { turn: messages.find(({ role }) => role === "assistant"), losses: asked.losses };
}

const wanting = [
  [deepseek, "reasoning_content"],
  [fireworks, "reasoning_content"],
  [moonshot, "reasoning_content"],
  [openrouter, "reasoning"],
  [vllm, "reasoning_content"],
  [volcengine, "reasoning_content"],
  [zhipuV4, "reasoning_content"],
] as const;

for (const path of paths) {
  for (const [provider, field] of wanting) {
    test(`${path}: ${provider.id} gets the reasoning of a turn with calls back in ${field}`, async () => {
      const { turn, losses } = await turnSent(provider, path, {});
      expect(turn).toMatchObject({ [field]: thought, tool_calls: [{}] });
      expect(losses).not.toContain("reasoning of earlier turns");
    });
  }

  test(`${path}: the setting of a channel counts more than what the provider documents`, async () => {
    for (const field of ["reasoning", "reasoning_content"] as const) {
      const { turn } = await turnSent(openai, path, { reasoningField: field });
      expect(turn).toMatchObject({ [field]: thought });
    }
    for (const [provider, given] of [
      [openai, {}],
      [deepseek, { reasoningField: "none" }],
    ] as const) {
      const { turn, losses } = await turnSent(provider, path, given);
      expect(JSON.stringify(turn)).not.toContain(thought);
      expect(losses).toContain("reasoning of earlier turns");
    }
  });
}
