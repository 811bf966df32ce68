/** Writes whole Messages answers as streams, and puts such streams together. */

import type { Json, JsonObject } from "#base/json.ts";
import type { OtherMode } from "#formats/format.ts";
import {
  asObject,
  listOf,
  numberOf,
  objectOf,
  parseWhole,
  textOf,
} from "#formats/shared/read-json.ts";
import {
  type Growing,
  piecesOf,
  takeFields,
  typedEvent,
} from "#formats/shared/upstream/whole-as-stream.ts";

function toStream(answer: JsonObject): string {
  const { content, stop_reason = null, stop_sequence = null, usage = null, ...head } = answer;
  const message = { ...head, content: [], stop_reason: null, stop_sequence: null, usage };
  let written = typedEvent("message_start", { message });
  for (const [index, each] of listOf(content).entries()) {
    const { content_block, deltas } = split(objectOf(each));
    written += typedEvent("content_block_start", { index, content_block });
    for (const delta of deltas) written += typedEvent("content_block_delta", { index, delta });
    written += typedEvent("content_block_stop", { index });
  }
  const delta = { stop_reason, stop_sequence };
  written += typedEvent("message_delta", usage === null ? { delta } : { delta, usage });
  return written + typedEvent("message_stop", {});
}

type Split = { readonly content_block: JsonObject; readonly deltas: readonly JsonObject[] };

/** Returns how a block begins, and the pieces that follow. */
function split(block: JsonObject): Split {
  const { citations, text, ...plain } = block;
  switch (block["type"]) {
    case "text":
      return {
        content_block: { ...plain, text: "" },
        deltas: [
          ...listOf(citations).map((citation) => ({ type: "citations_delta", citation })),
          ...piecesOf(textOf(text)).map((piece) => ({ type: "text_delta", text: piece })),
        ],
      };
    case "thinking": {
      const thinking = piecesOf(textOf(block["thinking"]));
      const signature = textOf(block["signature"]);
      return {
        content_block: { ...block, thinking: "", signature: "" },
        deltas: [
          ...thinking.map((piece) => ({ type: "thinking_delta", thinking: piece })),
          ...(signature === "" ? [] : [{ type: "signature_delta", signature }]),
        ],
      };
    }
    case "mcp_tool_use":
    case "server_tool_use":
    case "tool_use": {
      const args = piecesOf(JSON.stringify(block["input"] ?? {}));
      return {
        content_block: { ...block, input: {} },
        deltas: args.map((partial_json) => ({ type: "input_json_delta", partial_json })),
      };
    }
    default:
      return { content_block: block, deltas: [] };
  }
}

/** What was read of a block. */
type Block = { readonly fields: Growing; json: string };

function toWhole(events: readonly JsonObject[]): JsonObject | undefined {
  const message: Growing = {};
  const usage: Growing = {};
  const blocks = new Map<number, Block>();
  for (const event of events) {
    const index = numberOf(event["index"]) ?? 0;
    switch (event["type"]) {
      case "message_start": {
        const started = objectOf(event["message"]);
        takeFields(message, started);
        takeUsage(usage, started["usage"]);
        break;
      }
      case "content_block_start":
        blocks.set(index, { fields: { ...objectOf(event["content_block"]) }, json: "" });
        break;
      case "content_block_delta": {
        const block = blocks.get(index);
        if (block !== undefined) readDelta(block, objectOf(event["delta"]));
        break;
      }
      case "message_delta":
        takeFields(message, objectOf(event["delta"]));
        takeUsage(usage, event["usage"]);
        break;
      default: // the end of a block, and keep-alives
    }
  }
  if (message["type"] !== "message" && blocks.size === 0) return undefined;
  const content = [...blocks.values()].map(wholeBlock);
  return { ...message, content, ...(Object.keys(usage).length === 0 ? {} : { usage }) };
}

/** A count of 0 behind another one says that it is not told again. */
function takeUsage(usage: Growing, told: Json | undefined): void {
  for (const [name, value] of Object.entries(objectOf(told))) {
    if (value !== 0 || usage[name] === undefined) takeFields(usage, { [name]: value });
  }
}

function readDelta(block: Block, delta: JsonObject): void {
  const { fields } = block;
  switch (delta["type"]) {
    case "text_delta":
      fields["text"] = textOf(fields["text"]) + textOf(delta["text"]);
      break;
    case "thinking_delta":
      fields["thinking"] = textOf(fields["thinking"]) + textOf(delta["thinking"]);
      break;
    case "signature_delta":
      fields["signature"] = textOf(fields["signature"]) + textOf(delta["signature"]);
      break;
    case "input_json_delta":
      block.json += textOf(delta["partial_json"]);
      break;
    case "citations_delta": {
      const { citation } = delta;
      // Safe cast: a list that was made here.
      const known = (fields["citations"] ?? []) as Json[];
      if (asObject(citation) !== undefined) known.push(citation ?? null);
      fields["citations"] = known;
      break;
    }
    default: // a kind of piece to come
  }
}

function wholeBlock({ fields, json }: Block): JsonObject {
  return json === "" ? fields : { ...fields, input: parseWhole(json) ?? {} };
}

/** A server may answer with a stream where none was asked for, or the other way round. */
export const otherMode: OtherMode = { toStream, toWhole };
