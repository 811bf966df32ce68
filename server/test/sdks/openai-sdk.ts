/** OpenAI's SDK, in its two formats. */

import OpenAI from "openai";
import type { ChatCompletionMessageParam } from "openai/resources/chat/completions";
import type { ResponseInput, ResponseInputItem } from "openai/resources/responses/responses";
import {
  type Ask,
  firstTurn,
  nothingTold,
  pictureUrl,
  type Sdk,
  toolNames,
  toolResult,
  toolSchema,
  turnsMax,
} from "./sdk.ts";

function open({ url, key }: Ask): OpenAI {
  return new OpenAI({ apiKey: key, baseURL: `${url}/v1`, maxRetries: 0 });
}

const chatTools = toolNames.map((name) => ({
  type: "function" as const,
  function: { name, parameters: toolSchema },
}));

export const openaiChat: Sdk = {
  name: "openai, Chat Completions",
  formatId: "openai-chat",
  async talk(ask) {
    const told = nothingTold();
    const messages: ChatCompletionMessageParam[] = [...earlierOf(ask), chatMessage(ask)];
    for (let turn = 0; turn < turnsMax; turn += 1) {
      const body = {
        model: ask.model,
        messages,
        ...(ask.tools ? { tools: chatTools } : {}),
        ...(ask.shaped === true ? { response_format: chatShape } : {}),
      };
      const { completions } = open(ask).chat;
      const answer = ask.stream
        ? await completions
            .stream({ ...body, stream_options: { include_usage: true } })
            .finalChatCompletion()
        : await completions.create(body);
      told.input += answer.usage?.prompt_tokens ?? 0;
      told.output += answer.usage?.completion_tokens ?? 0;
      const message = answer.choices[0]?.message;
      if (message === undefined) break;
      told.text = message.content ?? "";
      told.said += told.text;
      const { reasoning_content: reasoning } = Object(message) as { reasoning_content?: unknown };
      if (typeof reasoning === "string") told.reasoning += reasoning;
      const calls = message.tool_calls ?? [];
      messages.push(message);
      for (const call of calls) {
        if (call.type !== "function") continue;
        told.calls.push({ name: call.function.name, args: JSON.parse(call.function.arguments) });
        messages.push({ role: "tool", tool_call_id: call.id, content: toolResult });
      }
      if (calls.length === 0) break;
    }
    return told;
  },
  async *words(ask) {
    const { completions } = open(ask).chat;
    const body = { model: ask.model, messages: [chatMessage(ask)], stream: true as const };
    for await (const { choices } of await completions.create(body)) {
      const words = choices[0]?.delta.content ?? "";
      if (words !== "") yield words;
    }
  },
};

function earlierOf({ later }: Ask) {
  if (later !== true) return [];
  const { asked, answered } = firstTurn;
  return [
    { role: "user" as const, content: asked },
    { role: "assistant" as const, content: answered },
  ];
}

function chatMessage({ image, prompt }: Ask): ChatCompletionMessageParam {
  if (image !== true) return { role: "user", content: prompt };
  const picture = { type: "image_url" as const, image_url: { url: pictureUrl } };
  return { role: "user", content: [{ type: "text", text: prompt }, picture] };
}

const chatShape = {
  type: "json_schema" as const,
  json_schema: { name: "weather", schema: toolSchema, strict: true },
};

const responseTools = toolNames.map((name) => ({
  type: "function" as const,
  name,
  parameters: toolSchema,
  strict: true,
}));

export const openaiResponses: Sdk = {
  name: "openai, Responses",
  formatId: "openai-responses",
  async talk(ask) {
    const told = nothingTold();
    const input: ResponseInput = [...earlierOf(ask), inputMessage(ask)];
    for (let turn = 0; turn < turnsMax; turn += 1) {
      const body = {
        model: ask.model,
        input,
        store: false,
        include: ["reasoning.encrypted_content" as const],
        ...(ask.tools ? { tools: responseTools } : {}),
        ...(ask.shaped === true ? { text: { format: responseShape } } : {}),
      };
      const { responses } = open(ask);
      const answer = ask.stream
        ? await responses.stream(body).finalResponse()
        : await responses.create(body);
      told.input += answer.usage?.input_tokens ?? 0;
      told.output += answer.usage?.output_tokens ?? 0;
      told.text = answer.output_text;
      told.said += told.text;
      let called = false;
      for (const item of answer.output) {
        if (item.type === "reasoning") {
          told.reasoning += item.summary.map(({ text }) => text).join("");
        }
        // The type of one item is narrower as input than as output.
        input.push(item as ResponseInputItem);
      }
      for (const item of answer.output) {
        if (item.type !== "function_call") continue;
        called = true;
        told.calls.push({ name: item.name, args: JSON.parse(item.arguments) });
        const { call_id } = item;
        input.push({ type: "function_call_output", call_id, output: toolResult });
      }
      if (!called) break;
    }
    return told;
  },
  async *words(ask) {
    const body = { model: ask.model, input: [inputMessage(ask)], stream: true as const };
    for await (const event of await open(ask).responses.create(body)) {
      if (event.type === "response.output_text.delta") yield event.delta;
      // The SDK hands the failure to the program, as an event.
      if (event.type === "response.failed") throw new Error(event.response.error?.message);
    }
  },
};

function inputMessage({ image, prompt }: Ask): ResponseInputItem {
  if (image !== true) return { role: "user", content: prompt };
  const picture = { type: "input_image" as const, image_url: pictureUrl, detail: "auto" as const };
  return { role: "user", content: [{ type: "input_text", text: prompt }, picture] };
}

const responseShape = {
  type: "json_schema" as const,
  name: "weather",
  schema: toolSchema,
  strict: true,
};
