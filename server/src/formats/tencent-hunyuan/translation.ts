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
          ...(reader.reported === undefined ? {} : { reported: reader.reported }),
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

/** Seeds are from 1 to this. */
const seedMax = 10_000;

function toPascal({ body, losses }: WrittenRequest): WrittenRequest {
  const { messages, seed, tool_choice: choice, tools, ...rest } = body;
  const ordered = inTurns(listOf(messages).map(objectOf));
  const fields: Record<string, Json> = { ...rest, messages: ordered };
  if (tools !== undefined) fields["tools"] = listOf(tools).map(withTextParameters);
  const takesSeed = typeof seed === "number" && seed >= 1 && seed <= seedMax;
  if (takesSeed) fields["seed"] = seed;
  // The word for one tool is `custom`, with the tool beside it.
  if (typeof choice === "object") {
    fields["tool_choice"] = "custom";
    fields["custom_tool"] = choice;
  } else if (choice === "auto" || choice === "none") fields["tool_choice"] = choice;
  const roles = listOf(messages).map((message) => objectOf(message)["role"]);
  const isToolAsked = roles.some((role, at) => role === "user" && roles[at - 1] === "tool");
  const lost = [
    ...(isToolAsked ? ["user texts after tool results"] : []),
    ...(choice === "required" ? ["tool_choice"] : []),
    ...(seed === undefined || takesSeed ? [] : ["seed"]),
  ];
  return { body: objectOf(rename(fields, remembered(pascal))), losses: [...losses, ...lost] };
}

/**
 * Hunyuan takes one system prompt, at the beginning. Then a user or tools, and the model, take turns:
 * it refuses two users or two models in a row, and a user who speaks after a tool.
 */
function inTurns(messages: readonly JsonObject[]): readonly Json[] {
  const system = messages.filter(({ role }) => role === "system");
  const spoken = messages.filter(({ role }) => role !== "system");
  const turns: Turn[] = [];
  for (const message of [...system, ...spoken]) {
    const last = turns.at(-1);
    if (last !== undefined && isJoined(last, message)) continue;
    const turn: Turn = { fields: message, texts: [], parts: null };
    addContent(turn, message["content"] ?? "");
    turns.push(turn);
  }
  return turns.map(writeTurn);
}

/** Messages that became one. */
type Turn = {
  fields: JsonObject;
  readonly texts: string[];
  /** The content as a list of parts; null: it is the texts. */
  parts: Json[] | null;
};

/** Puts a message into the last one where it may not stand alone. */
function isJoined(last: Turn, message: JsonObject): boolean {
  const content = message["content"] ?? "";
  const isAfterTool = last.fields["role"] === "tool" && message["role"] === "user";
  const isText = typeof content === "string" && last.parts === null;
  const isAdded = isAfterTool && isText;
  if (!isAdded && !isOneTurn(last.fields, message)) return false;
  if (!isAdded) last.fields = { ...last.fields, ...message };
  addContent(last, content);
  return true;
}

function isOneTurn(last: JsonObject, { role, tool_calls: calls }: JsonObject): boolean {
  if (role !== last["role"] || role === "tool") return false;
  return calls === undefined || last["tool_calls"] === undefined;
}

/** Joins contents: texts to a text, others to a list of parts. */
function addContent(turn: Turn, content: Json): void {
  if (typeof content === "string" && turn.parts === null) {
    turn.texts.push(content);
    return;
  }
  turn.parts ??= [...partsOf(textOfTurn(turn))];
  for (const part of partsOf(content)) turn.parts.push(part);
}

function textOfTurn({ texts }: Turn): string {
  return texts.filter((text) => text !== "").join("\n\n");
}

function partsOf(content: Json): readonly Json[] {
  if (Array.isArray(content)) return content;
  return content === "" ? [] : [{ type: "text", text: content }];
}

/** A list of parts has a field of its own. */
function writeTurn(turn: Turn): Json {
  const { content: _, ...rest } = turn.fields;
  return turn.parts === null
    ? { ...rest, content: textOfTurn(turn) }
    : { ...rest, contents: turn.parts };
}

/** The schema of a tool is a text. */
function withTextParameters(tool: Json): Json {
  const { function: called, ...rest } = objectOf(tool);
  const { parameters, ...named } = objectOf(called);
  return { ...rest, function: { ...named, parameters: JSON.stringify(parameters ?? {}) } };
}

/** Reads an answer, or an error of it, in the names of chat completions. */
function unwrap(text: string): JsonObject {
  const renamed = objectOf(rename(parseJson(text) ?? {}, remembered(snake)));
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

/** Makes each name once: they repeat in every message. */
function remembered(make: (name: string) => string): (name: string) => string {
  const known = new Map<string, string>();
  return (name) => {
    let made = known.get(name);
    if (made === undefined) {
      made = make(name);
      known.set(name, made);
    }
    return made;
  };
}

function pascal(name: string): string {
  return name.replaceAll(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

function snake(name: string): string {
  return name.replaceAll(/(?<=[a-z])[A-Z]/g, (letter) => `_${letter}`).toLowerCase();
}
