/**
 * Extracts the text of a prompt, and estimates the tokens of its parts that are not text. Used when
 * the upstream reports no usage. The numbers of tokens are those of one-api compatible gateways.
 */

import type { PromptText } from "#formats/format.ts";

/** Tokens that each message and the answer have besides their text. */
const messageTokens = 3;
const answerTokens = 3;
const toolTokens = 8;
/** Tokens of an image of 1,000 × 1,000 pixels, in high and in low detail. */
export const imageTokens = 765;
const imageLowTokens = 85;
const audioTokens = 100;
const fileTokens = 5_000;

type Fields = Readonly<Record<string, unknown>>;
type Reading = { readonly texts: string[]; tokens: number };

/**
 * Reads the prompt from the parsed body of a chat, completions or embeddings request. Unknown
 * fields of messages count as text, in their JSON form.
 */
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
  // Texts are joined by a blank, which every vocabulary merges into the next word; a line break
  // would be a token.
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

/** Reads a text, a list of texts, or token numbers. Each token number counts as one token. */
function readInput(input: unknown, reading: Reading): void {
  if (typeof input === "string") reading.texts.push(input);
  else if (typeof input === "number") reading.tokens += 1;
  else if (Array.isArray(input)) for (const item of input) readInput(item, reading);
  else if (isRecord(input)) reading.texts.push(JSON.stringify(input));
}

function isRecord(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
