/**
 * What a request gives the model to read, as text and as tokens that are no text, for when the
 * upstream counts nothing itself. The figures are the ones the family counts by.
 */

import type { PromptText } from "#formats/format.ts";

/** Frame of each message, and of the answer that is to follow. */
const messageTokens = 3;
const answerTokens = 3;
const toolTokens = 8;
/** A picture of a thousand pixels squared, in detail or at a glance. */
const imageTokens = 765;
const imageLowTokens = 85;
const audioTokens = 100;
const fileTokens = 5_000;

type Fields = Readonly<Record<string, unknown>>;
type Reading = { readonly texts: string[]; tokens: number };

/** Reads a parsed body of any of OpenAI's three forms. What is unknown is counted as its text. */
export function readPrompt(body: unknown): PromptText {
  const reading: Reading = { texts: [], tokens: 0 };
  if (isRecord(body)) {
    if (Array.isArray(body["messages"])) readMessages(body["messages"], reading);
    else readInput(body["prompt"] ?? body["input"], reading);
    const tools = body["tools"] ?? body["functions"];
    if (Array.isArray(tools)) {
      reading.tokens += tools.length * toolTokens;
      reading.texts.push(JSON.stringify(tools));
    }
  }
  // A blank is part of the word behind it in every vocabulary; a line break would be one token more.
  return { text: reading.texts.join(" "), extraTokens: reading.tokens };
}

function readMessages(messages: readonly unknown[], reading: Reading): void {
  reading.tokens += messages.length * messageTokens + answerTokens;
  for (const message of messages) {
    if (!isRecord(message)) continue;
    for (const [name, value] of Object.entries(message)) {
      if (name === "content" && Array.isArray(value)) readParts(value, reading);
      else if (typeof value === "string") reading.texts.push(value);
      else if (value !== null) reading.texts.push(JSON.stringify(value));
      if (name === "name") reading.tokens += 1;
    }
  }
}

function readParts(parts: readonly unknown[], reading: Reading): void {
  for (const part of parts) {
    const media = isRecord(part) ? mediaTokens(part) : 0;
    reading.tokens += media;
    if (media > 0) continue;
    const text = isRecord(part) ? part["text"] : part;
    reading.texts.push(typeof text === "string" ? text : JSON.stringify(part));
  }
}

function mediaTokens(part: Fields): number {
  switch (part["type"]) {
    case "image_url": {
      const image = part["image_url"];
      return isRecord(image) && image["detail"] === "low" ? imageLowTokens : imageTokens;
    }
    case "input_audio":
      return audioTokens;
    case "file":
      return fileTokens;
    default:
      return 0;
  }
}

/** A text, several, or token numbers, which count themselves. */
function readInput(input: unknown, reading: Reading): void {
  if (typeof input === "string") reading.texts.push(input);
  else if (typeof input === "number") reading.tokens += 1;
  else if (Array.isArray(input)) for (const item of input) readInput(item, reading);
  else if (isRecord(input)) reading.texts.push(JSON.stringify(input));
}

function isRecord(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
