/**
 * Answers of Google's PaLM, which are never streamed and report no usage.
 * Source: the discovery document of the Generative Language API, v1beta2.
 */

import type { Answer, AnswerPart } from "@tollgate/demo/answer.ts";
import { pieceParts, section } from "@tollgate/demo/answers/body-parts.ts";
import { gemini } from "@tollgate/demo/answers/gemini-parts.ts";
import { isObject, type Json, type JsonObject, objectsOf } from "@tollgate/demo/json.ts";
import { isList, isText, type Provider, within, wrongField, wrongTurns } from "./provider.ts";

function* palmBody({ content, contentCount }: Answer, grouped: boolean): Generator<AnswerPart> {
  yield section("start", `{"candidates":[{"author":"1","content":"`);
  yield* pieceParts(content, contentCount, grouped);
  yield section("finish", `"}],"messages":[]`);
  yield section("done", "}");
}

const fields = {
  prompt: (value: Json) => isObject(value),
  temperature: within(0, 1),
  candidateCount: within(1, 1),
  topP: within(0, 1),
  topK: within(1, 1_000),
};
const promptFields = { context: isText, examples: isList, messages: isList };

function readBody(body: JsonObject, model: string): JsonObject | string {
  const prompt = isObject(body["prompt"]) ? body["prompt"] : {};
  const messages = objectsOf(prompt["messages"]);
  const authors = messages.map(({ author }) => author ?? null);
  const wrong =
    wrongField(body, fields, ["prompt"]) ??
    wrongField(prompt, promptFields, ["messages"]) ??
    messages
      .map((message) => wrongField(message, { author: isText, content: isText }, ["content"]))
      .find((found) => found !== undefined) ??
    wrongTurns(authors, { user: "0", model: "1" });
  if (wrong !== undefined) return wrong;
  const spoken = messages.map(({ author, content = "" }) => ({
    role: author === "0" ? "user" : "assistant",
    content,
  }));
  return { model, system: prompt["context"] ?? null, messages: spoken };
}

export const palm: Provider = {
  ...gemini,
  conversation: "messages",
  reasons: false,
  events: (answer) => palmBody(answer, true),
  body: palmBody,
  usage: () => null,
  read: (body, { model }) => readBody(body, model),
};
