/**
 * What a channel adds to requests whose clients say nothing of the provider's prompt cache: where the
 * cache is to begin, or by which key the provider finds it. Only where somebody has turned it on.
 */

import { type JsonObject, parseExact } from "#base/json.ts";
import type { WayFacts } from "./way.ts";

/** About how many bytes of a prompt are a token; of other scripts fewer are. */
const bytesPerToken = 4;

/**
 * The fewest tokens that Anthropic caches, by model
 * (https://platform.claude.com/docs/en/build-with-claude/prompt-caching, read 2026-11-30).
 */
const leastTokens: readonly (readonly [RegExp, number])[] = [
  [/(?:opus-4-[5-9]|haiku-4-[5-9])/, 4_096],
  [/(?:haiku-3|3-haiku|3-5-haiku|sonnet-4-6)/, 2_048],
];
const leastTokensElse = 1_024;

/** A call, as far as the marks need it. */
type Marked = {
  /** 0: it belongs to no conversation that is known. */
  readonly conversation_id?: number;
};

/**
 * Adds the marks to a request as it is sent.
 *
 * @param hashOf makes the keyed hash by which a provider knows the conversation.
 */
export function withPromptCacheMarks(
  way: Pick<WayFacts, "channel" | "modality" | "model" | "upstreamId">,
  { conversation_id: conversation = 0 }: Marked,
  bytes: Uint8Array,
  hashOf: (text: string) => string,
): Uint8Array {
  if (way.modality !== "chat") return bytes;
  if (way.upstreamId === "anthropic-messages") return withBreakpoints(bytes, way.model);
  const spoken = way.channel.provider.formats[way.upstreamId];
  if (spoken?.takesCacheKey !== true || conversation === 0) return bytes;
  if (has(bytes, '"prompt_cache_key"')) return bytes;
  return write({ ...read(bytes), prompt_cache_key: hashOf(`conversation ${conversation}`) });
}

function has(bytes: Uint8Array, word: string): boolean {
  return Buffer.prototype.includes.call(bytes, word);
}

/** Reads bytes of which `readRequest` has checked that they are one JSON object. */
function read(bytes: Uint8Array): JsonObject {
  return parseExact(new TextDecoder().decode(bytes)) as JsonObject;
}

function write(body: object): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(body));
}

/**
 * Ends what is cached at two places: after tools and instructions, which many conversations share,
 * and after the last message, up to which the next turn will be the same.
 */
function withBreakpoints(bytes: Uint8Array, model: string): Uint8Array {
  const least = leastTokens.find(([models]) => models.test(model))?.[1] ?? leastTokensElse;
  const leastBytes = least * bytesPerToken;
  if (bytes.length < leastBytes || has(bytes, '"cache_control"')) return bytes;
  const body = read(bytes);
  const { messages, system, tools } = body;
  const marked: Record<string, unknown> = { ...body };
  if (sizeOf([system, tools]) >= leastBytes) {
    const isInstructed = system !== undefined && system !== "";
    const name = isInstructed ? "system" : "tools";
    marked[name] = endingMarked(isInstructed ? system : tools) ?? body[name];
  }
  if (Array.isArray(messages)) {
    const last: unknown = messages.at(-1);
    const content = isObject(last) ? endingMarked(last["content"]) : undefined;
    if (isObject(last) && content !== undefined) {
      marked["messages"] = [...messages.slice(0, -1), { ...last, content }];
    }
  }
  return write(marked);
}

function sizeOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Blocks after which no cache may end. */
const unmarkable: readonly unknown[] = ["redacted_thinking", "thinking"];

/** Marks the last block of a content, or of a list; undefined: there is none that takes a mark. */
function endingMarked(content: unknown): unknown[] | undefined {
  const blocks = typeof content === "string" ? [{ type: "text", text: content }] : content;
  if (!Array.isArray(blocks)) return undefined;
  const last: unknown = blocks.at(-1);
  if (!isObject(last) || unmarkable.includes(last["type"]) || last["text"] === "") return undefined;
  return [...blocks.slice(0, -1), { ...last, cache_control: { type: "ephemeral" } }];
}
