/** How formats name service tiers: the tier that a request asks for, and what an answer says. */

import type { AskedTier, ServedTier, ServiceTier } from "@tollgate/contract/money/service-tiers.ts";
import { isText } from "#base/json-cursor.ts";
import { readString, scanObject, type Span } from "#base/json-scan.ts";
import type { JsonObject } from "#base/json.ts";
import type { CanonicalRequest } from "#canonical/request.ts";
import type { Losses } from "#formats/shared/losses.ts";
import { textOf } from "#formats/shared/read-json.ts";

type Words = ReadonlyMap<string, ServiceTier | "default">;

/**
 * The words of OpenAI's formats. `fast` is another name of `priority` (OpenAI, 2026-11), `on_demand`
 * is Groq's default.
 */
const openAiWords: Words = new Map([
  ["batch", "batch"],
  ["default", "default"],
  ["fast", "priority"],
  ["flex", "flex"],
  ["on_demand", "default"],
  ["priority", "priority"],
  ["scale", "scale"],
  ["standard", "default"],
  ["ultrafast", "ultrafast"],
]);

/** The words of Gemini's format, in lower case and without the prefix `SERVICE_TIER_`. */
const geminiWords: Words = new Map([
  ["flex", "flex"],
  ["priority", "priority"],
  ["standard", "default"],
]);

type Values = ReadonlyMap<string, Span>;

/** Where a format says which tier a request asks for. */
export type TierRules = {
  readonly fields: readonly string[];
  /** Undefined: the request says it in two ways. */
  readonly read: (bytes: Uint8Array, values: Values) => AskedTier | undefined;
};

function wordIn(bytes: Uint8Array, values: Values, field: string): string {
  const span = values.get(field);
  return span?.kind === "string" ? (readString(bytes, span) ?? "") : "";
}

/** The tier in requests of OpenAI's formats. What an unknown word means, the provider decides. */
export const openAiTiers = {
  fields: ["service_tier"],
  read: (bytes: Uint8Array, values: Values): AskedTier =>
    values.size === 0 ? "auto" : parseOpenAiTier(wordIn(bytes, values, "service_tier")),
} as const satisfies TierRules;

function parseOpenAiTier(word: string): AskedTier {
  return openAiWords.get(word) ?? "auto";
}

/** The tier in Messages requests. A fast call has no other tier. */
export const anthropicTiers = {
  fields: ["service_tier", "speed"],
  read: (bytes: Uint8Array, values: Values): AskedTier =>
    anthropicTier(wordIn(bytes, values, "service_tier"), wordIn(bytes, values, "speed")),
} as const satisfies TierRules;

function anthropicTier(tier: string, speed: string): AskedTier {
  if (speed === "fast") return "fast";
  return tier === "standard_only" ? "default" : "auto";
}

/** The tier in generateContent requests, which know two spellings of the field. */
export const geminiTiers = {
  fields: ["serviceTier", "service_tier"],
  read(bytes: Uint8Array, values: Values): AskedTier | undefined {
    if (values.has("serviceTier") && values.has("service_tier")) return undefined;
    const word = wordIn(bytes, values, "serviceTier") || wordIn(bytes, values, "service_tier");
    return parseGeminiTier(word);
  },
} as const satisfies TierRules;

export function parseGeminiTier(word: string): AskedTier {
  return geminiWords.get(word.toLowerCase().replace(/^service_tier_/, "")) ?? "auto";
}

/**
 * Reads the tier in the bytes of an answer in one of OpenAI's formats. [start, end) is the inside of
 * a JSON string. No call in progress is served in batches.
 */
export function scanOpenAiTier(bytes: Uint8Array, start: number, end: number): ServedTier {
  for (const word of servedWords) if (isText(bytes, start, end, word)) return servedOpenAi(word);
  return "";
}

const servedWords: readonly string[] = [...openAiWords.keys()];

/** Returns the tier that an answer in one of OpenAI's formats names. */
export function servedOpenAi(word: string): ServedTier {
  const tier = openAiWords.get(word) ?? "";
  return tier === "batch" ? "" : tier;
}

/** Returns the word with which answers in OpenAI's formats name a tier. Undefined: there is none. */
export function writeServedOpenAi(tier: ServedTier): string | undefined {
  return tier === "" || tier === "batch" || tier === "fast" ? undefined : tier;
}

/** Returns the fields with which the usage of a Messages answer names a tier. */
export function writeServedAnthropic(tier: ServedTier): JsonObject {
  if (tier === "fast") return { speed: "fast" };
  if (tier === "priority") return { service_tier: "priority" };
  return tier === "default" ? { service_tier: "standard" } : {};
}

/** Returns the fields with which the usage of a generateContent answer names a tier. */
export function writeServedGemini(tier: ServedTier): JsonObject {
  if (tier === "flex" || tier === "priority") return { serviceTier: tier };
  return tier === "default" ? { serviceTier: "standard" } : {};
}

/** The tier in Converse requests, which the gateway itself has written. */
export const converseTiers = {
  fields: ["serviceTier"],
  read(bytes: Uint8Array, values: Values): AskedTier {
    const span = values.get("serviceTier");
    if (span?.kind !== "object") return "auto";
    return parseOpenAiTier(wordIn(bytes, scanObject(bytes, ["type"], span).values, "type"));
  },
} as const satisfies TierRules;

/** Returns the tier of a client's request as a canonical request has it. */
export function openAiHint(word: string): string {
  return word === "fast" ? "priority" : word;
}

export function anthropicHint(body: JsonObject): string {
  const tier = anthropicTier(textOf(body["service_tier"]), textOf(body["speed"]));
  return tier === "auto" ? "" : tier;
}

export function geminiHint(word: string): string {
  const tier = parseGeminiTier(word);
  return tier === "auto" ? word : tier;
}

/** Returns the word for a request in one of OpenAI's formats. Undefined: there is none. */
export function writeOpenAiTier(
  request: Pick<CanonicalRequest, "hints">,
  losses: Losses,
): string | undefined {
  const word = request.hints.serviceTier;
  losses.addIf(word === "fast", "speed");
  return word === "" || word === "fast" ? undefined : word;
}

/**
 * Returns the tier that a request asks for, which clients of several formats have named. An unknown
 * word means what the provider makes of it.
 */
export function tierOf({ hints }: Pick<CanonicalRequest, "hints">): AskedTier {
  return hints.serviceTier === "fast" ? "fast" : parseOpenAiTier(hints.serviceTier);
}

/** Names the tier of a request as lost, unless the format has a word for it. */
export function loseTier(
  request: Pick<CanonicalRequest, "hints">,
  carried: readonly ServiceTier[],
  losses: Losses,
): void {
  const tier = tierOf(request);
  if (tier === "auto" || tier === "default" || carried.includes(tier)) return;
  losses.add(tier === "fast" ? "speed" : "service_tier");
}
