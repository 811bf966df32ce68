/** Reads answers of InvokeModel, streamed or whole: the form shows which family of models it is. */

import type { Json, JsonObject } from "#base/json.ts";
import type { CanonicalEvent } from "#canonical/event.ts";
import { asObject, objectOf, parseJson, textOf } from "#formats/shared/read-json.ts";
import type { AnswerReader } from "#formats/translation.ts";
import type { ModelFormats } from "#formats/bedrock-invoke/translation.ts";
import { openPlainReader } from "./read-plain.ts";

export function readAnswer(models: ModelFormats, body: Json, seed: string): CanonicalEvent[] {
  const answer = objectOf(body);
  if (answer["type"] === "message") return claudeAnswer(models, body, seed);
  const isPlain = asObject(answer["output"]) === undefined && answer["message"] === undefined;
  if (!isPlain) return models.converse.readAnswer(body, seed);
  const reader = openPlainReader();
  return [...reader.read(answer), ...reader.end()];
}

/** Signatures belong to Bedrock, although Claude sends them in its own form. */
function claudeAnswer({ claude }: ModelFormats, body: Json, seed: string): CanonicalEvent[] {
  return claude.readAnswer(body, seed).map(ownSignature);
}

function ownSignature(event: CanonicalEvent): CanonicalEvent {
  if (event.type !== "item-end" || event.item.type !== "reasoning") return event;
  const { opaque } = event.item;
  if (opaque === null) return event;
  return { ...event, item: { ...event.item, opaque: { ...opaque, issuer: "bedrock" } } };
}

/** Opens a reader of the chunks, each of which carries an event of the model's own. */
export function openReader(models: ModelFormats, seed: string): AnswerReader {
  const claude = models.claude.openReader(seed);
  const converse = models.converse.openReader(seed);
  const plain = openPlainReader();
  let family: "claude" | "converse" | "plain" = "converse";
  return {
    read(event, data) {
      if (event !== "chunk") return converse.read(event, data);
      const inner = decode(data);
      const own = parseJson(inner);
      const fields = objectOf(own);
      const [name = ""] = Object.keys(fields);
      if (typeof fields["type"] === "string") {
        family = "claude";
        return claude.read(fields["type"], inner).map(ownSignature);
      }
      if (converseNames.has(name)) {
        family = "converse";
        return converse.read(name, JSON.stringify(fields[name]));
      }
      family = "plain";
      return plain.read(fields);
    },
    end() {
      if (family === "plain") return plain.end();
      return family === "claude" ? claude.end().map(ownSignature) : converse.end();
    },
    ...(claude.reported === undefined ? {} : { reported: claude.reported }),
  };
}

const converseNames: ReadonlySet<string> = new Set([
  "contentBlockDelta",
  "contentBlockStart",
  "contentBlockStop",
  "messageStart",
  "messageStop",
  "metadata",
]);

function decode(data: string): string {
  const frame: JsonObject = objectOf(parseJson(data));
  return Buffer.from(textOf(frame["bytes"]), "base64").toString();
}
