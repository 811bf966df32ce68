/** Anthropic's SDK. */

import Anthropic from "@anthropic-ai/sdk";
import type { MessageParam } from "@anthropic-ai/sdk/resources/messages";
import {
  type Ask,
  firstTurn,
  nothingTold,
  picture,
  type Sdk,
  toolNames,
  toolResult,
  toolSchema,
  turnsMax,
} from "./sdk.ts";

const outputMax = 2_000;
const tools = toolNames.map((name) => ({ name, input_schema: toolSchema }));

function open({ url, key }: Ask): Anthropic {
  return new Anthropic({ apiKey: key, baseURL: url, maxRetries: 0, logLevel: "off" });
}

export const anthropicMessages: Sdk = {
  name: "@anthropic-ai/sdk",
  formatId: "anthropic-messages",
  async talk(ask) {
    const told = nothingTold();
    const messages: MessageParam[] = [...earlierOf(ask), messageOf(ask)];
    for (let turn = 0; turn < turnsMax; turn += 1) {
      const body = {
        model: ask.model,
        max_tokens: outputMax,
        messages,
        ...(ask.tools ? { tools } : {}),
        ...(ask.shaped === true ? { output_config: { format: shape } } : {}),
      };
      const api = open(ask).messages;
      const answer = ask.stream ? await api.stream(body).finalMessage() : await api.create(body);
      const { usage } = answer;
      told.input += usage.input_tokens + (usage.cache_read_input_tokens ?? 0);
      told.output += usage.output_tokens;
      told.text = answer.content.map((block) => (block.type === "text" ? block.text : "")).join("");
      told.said += told.text;
      messages.push({ role: "assistant", content: answer.content });
      const results = [];
      for (const block of answer.content) {
        if (block.type === "thinking") told.reasoning += block.thinking;
        if (block.type !== "tool_use") continue;
        told.calls.push({ name: block.name, args: block.input });
        results.push({
          type: "tool_result" as const,
          tool_use_id: block.id,
          content: toolResult,
        });
      }
      if (results.length === 0) break;
      messages.push({ role: "user", content: results });
    }
    return told;
  },
  async *words(ask) {
    const body = { model: ask.model, max_tokens: outputMax, messages: [messageOf(ask)] };
    for await (const event of await open(ask).messages.create({ ...body, stream: true })) {
      if (event.type !== "content_block_delta" || event.delta.type !== "text_delta") continue;
      yield event.delta.text;
    }
  },
};

function earlierOf({ later }: Ask): MessageParam[] {
  if (later !== true) return [];
  const { asked, answered } = firstTurn;
  return [
    { role: "user", content: asked },
    { role: "assistant", content: answered },
  ];
}

function messageOf({ image, prompt }: Ask): MessageParam {
  if (image !== true) return { role: "user", content: prompt };
  const source = { type: "base64" as const, media_type: "image/png" as const, data: picture };
  return {
    role: "user",
    content: [
      { type: "text", text: prompt },
      { type: "image", source },
    ],
  };
}

const shape = { type: "json_schema" as const, schema: toolSchema };
