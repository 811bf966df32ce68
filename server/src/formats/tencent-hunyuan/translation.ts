import type { Json, JsonObject } from "#base/json.ts";
import { listOf, objectOf, parseJson } from "#formats/shared/read-json.ts";
import { writtenRequests } from "#formats/shared/upstream/written-requests.ts";
import type { Translation, UpstreamTranslation, WrittenRequest } from "#formats/translation.ts";

/**
 * The native format of Tencent's Hunyuan: chat completions with other names, and in whole answers
 * one object more around them.
 * Documents: https://cloud.tencent.com/document/api/1729/105701 (read 2026-11-23).
 */
export function tencentHunyuan(chat: UpstreamTranslation) {
  return {
    upstream: {
      framing: "sse",
      accepts: { stream: "text/event-stream", whole: "application/json" },
      requests: writtenRequests({}),
      writeRequest(request, quirks) {
        const written = chat.writeRequest(request, { ...quirks, refusedFields });
        return "message" in written ? written : toPascal(written);
      },
      openReader(seed) {
        const reader = chat.openReader(seed);
        return {
          read: (event, data) =>
            reader.read(event, data.trim() === "[DONE]" ? data : JSON.stringify(unwrap(data))),
          end: () => reader.end(),
        };
      },
      readAnswer: (body, seed) => chat.readAnswer(unwrap(JSON.stringify(body)), seed),
    },
  } as const satisfies Translation;
}

/** Fields of chat completions for which Hunyuan has none. */
const refusedFields: readonly string[] = [
  "frequency_penalty",
  "logit_bias",
  "logprobs",
  "max_completion_tokens",
  "max_tokens",
  "parallel_tool_calls",
  "presence_penalty",
  "prompt_cache_key",
  "response_format",
  "service_tier",
  "stream_options",
  "top_logprobs",
  "user",
  "verbosity",
];

function toPascal({ body, losses }: WrittenRequest): WrittenRequest {
  const { messages, tool_choice: choice, tools, ...rest } = body;
  const fields: Record<string, Json> = { ...rest, messages: listOf(messages).map(splitContent) };
  if (tools !== undefined) fields["tools"] = listOf(tools).map(withTextParameters);
  // The word for one tool is `custom`, with the tool beside it.
  if (typeof choice === "object") {
    fields["tool_choice"] = "custom";
    fields["custom_tool"] = choice;
  } else if (choice === "auto" || choice === "none") fields["tool_choice"] = choice;
  const lost = choice === "required" ? ["tool_choice"] : [];
  return { body: objectOf(rename(fields, pascal)), losses: [...losses, ...lost] };
}

/** A list of parts has a field of its own. */
function splitContent(message: Json): Json {
  const { content, ...rest } = objectOf(message);
  return Array.isArray(content)
    ? { ...rest, contents: content }
    : { ...rest, content: content ?? "" };
}

/** The schema of a tool is a text. */
function withTextParameters(tool: Json): Json {
  const { function: called, ...rest } = objectOf(tool);
  const { parameters, ...named } = objectOf(called);
  return { ...rest, function: { ...named, parameters: JSON.stringify(parameters ?? {}) } };
}

/** Reads an answer, or an error of it, in the names of chat completions. */
function unwrap(text: string): JsonObject {
  const renamed = objectOf(rename(parseJson(text) ?? {}, snake));
  const answer = renamed["response"] === undefined ? renamed : objectOf(renamed["response"]);
  const { error_msg: late, ...rest } = answer;
  return late === undefined ? rest : { ...rest, error: { message: objectOf(late)["msg"] ?? "" } };
}

function rename(value: Json, as: (name: string) => string): Json {
  if (Array.isArray(value)) return value.map((each) => rename(each, as));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [as(name), rename(each, as)]),
  );
}

function pascal(name: string): string {
  return name.replaceAll(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

function snake(name: string): string {
  return name.replaceAll(/(?<=[a-z])[A-Z]/g, (letter) => `_${letter}`).toLowerCase();
}
