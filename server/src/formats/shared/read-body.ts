/**
 * Reads what routing, pricing and the hold need from the bytes of a request, for formats whose
 * requests are one JSON object. The same bytes go to the upstream, so a request is refused where
 * two JSON parsers may read it differently.
 */

import { type ObjectScan, readNumber, readString, scanObject, type Span } from "#base/json-scan.ts";
import type { WatchedKeys } from "#base/json/watched-keys.ts";
import type { BodyRefusal, RequestBody, RequestPath } from "#formats/format.ts";
import { isEmpty, isModelName, effortWord, readFlag } from "./body-values.ts";
import { countMedia } from "./count-media.ts";
import { conversationSpans } from "./scan/conversation-spans.ts";
import { mostOf, scanFault } from "./scan/crowded.ts";
import type { TierRules } from "./tiers/service-tiers.ts";
import { hasUnseenInput, nothingUnseen, type UnseenRules } from "./unseen-input.ts";

const answerCountMax = 128;
const tokensMax = 2_000_000;

/** Where a format has the fields that are read. */
type BodyRules = {
  /**
   * The required field with the conversation, and the JSON types that it may have. An empty name:
   * no field is required.
   */
  readonly input: string;
  /** The field that may stand alone instead of it; absent: none. */
  readonly inputInstead?: string;
  readonly inputKinds: readonly Span["kind"][];
  /** Whether the body names the model; otherwise the path does. */
  readonly namesModel: boolean;
  /** The fields that limit the output tokens. */
  readonly limits: readonly string[];
  /** Fields that hold further settings, of which the first that is there is read. */
  readonly settings: readonly string[];
  /** Fields of the settings that limit the output tokens, and that ask for several answers. */
  readonly settingLimits: readonly string[];
  readonly settingCounts: readonly string[];
  readonly unseen: UnseenRules;
  /** The path to the field that says how much the model is to think; absent: there is none. */
  readonly effort?: readonly string[];
  /** Where the request asks for a service tier; absent: nowhere. */
  readonly tier?: TierRules;
  /**
   * Whether the gateway has written the body, so that no field stands in it twice. Some formats have
   * fields whose names are others' in capitals. Absent: a client has.
   */
  readonly isOwn?: boolean;
  /** The keys without which it names nothing that an upstream keeps; absent: that is not known. */
  readonly watched?: WatchedKeys;
};

const nowhere: readonly string[] = [];

export function readBody(
  bytes: Uint8Array,
  path: RequestPath,
  rules: BodyRules,
): RequestBody | BodyRefusal {
  const refuse = (param: string, message: string): BodyRefusal => ({
    code: "invalid_request",
    param,
    message,
  });
  const keys = [
    "model",
    "stream",
    "thinking",
    "tools",
    rules.input,
    ...rules.limits,
    ...rules.settings,
    ...rules.unseen.fields,
  ];
  const { effort = nowhere } = rules;
  const [effortField = ""] = effort;
  if (rules.inputInstead !== undefined) keys.push(rules.inputInstead);
  if (effortField !== "" && !keys.includes(effortField)) keys.push(effortField);
  if (rules.tier !== undefined) keys.push(...rules.tier.fields);
  const { watched } = rules;
  const most = mostOf(path.modality);
  const noted = conversationSpans;
  const scan = scanObject(bytes, keys, watched === undefined ? { most } : { most, noted, watched });
  const fault = scanFault(scan);
  if (fault !== "") return refuse("", fault);
  const unclear = rules.isOwn === true ? "" : findUnclear(scan);
  if (unclear !== "") return refuse(unclear, `field ${unclear} occurs in two ways`);
  const { values } = scan;
  const model = rules.namesModel ? readModel(bytes, values.get("model")) : (path.model ?? "");
  if (model === "") return refuse("model", "model is required");
  if (!isModelName(model)) return refuse("model", "model is invalid");
  const missing = faultOfInput(bytes, values, rules);
  if (missing !== "") return refuse(rules.input, missing);
  const stream = path.stream ?? readFlag(bytes, values.get("stream")) ?? false;
  if (stream === "invalid") return refuse("stream", "stream is invalid");
  const numbers = readNumbers(bytes, values, rules);
  if (typeof numbers === "string") return refuse(numbers, `${numbers} is invalid`);
  const tier = rules.tier === undefined ? "default" : rules.tier.read(bytes, values);
  if (tier === undefined) {
    const [name = ""] = rules.tier?.fields ?? [];
    return refuse(name, `field ${name} occurs in two ways`);
  }
  const media = countMedia(bytes);
  return {
    modality: path.modality,
    model,
    stream,
    answerCount: numbers.count,
    maxTokens: numbers.limit || null,
    // These formats always report usage.
    wantsUsage: true,
    effort: effortWord(bytes, values, effort),
    textBytes: bytes.length - media.byteCount,
    mediaParts: media.count,
    hasUnseenInput: hasUnseenInput(bytes, values, rules.unseen),
    tier,
    mayName: watched === undefined || scan.isPassed,
    spans: values,
  };
}

/** Returns what is wrong with the field that has the conversation; empty: nothing. */
function faultOfInput(
  bytes: Uint8Array,
  values: ReadonlyMap<string, Span>,
  { input: name, inputInstead = "", inputKinds }: BodyRules,
): string {
  if (name === "") return "";
  const input = values.get(name);
  const given = isGiven(bytes, input) ? input : values.get(inputInstead);
  if (!isGiven(bytes, given)) return `field ${name} is required`;
  return given === input && !inputKinds.includes(given.kind) ? `${name} is invalid` : "";
}

function isGiven(bytes: Uint8Array, span: Span | undefined): span is Span {
  return span !== undefined && !isEmpty(bytes, span);
}

/** Reads the body of a request that names its model, and has no limits and nothing to count. */
export function readPlainBody(
  bytes: Uint8Array,
  path: RequestPath,
  input: string,
  inputKinds: readonly Span["kind"][],
): RequestBody | BodyRefusal {
  return readBody(bytes, path, {
    input,
    inputKinds,
    namesModel: true,
    unseen: nothingUnseen,
    limits: [],
    settings: [],
    settingLimits: [],
    settingCounts: [],
  });
}

/** Returns a field that two JSON parsers could read differently; empty: there is none. */
function findUnclear({ doubled, miscased }: ObjectScan): string {
  return doubled[0] ?? miscased[0] ?? "";
}

function readModel(bytes: Uint8Array, span: Span | undefined): string {
  return span?.kind === "string" ? (readString(bytes, span) ?? "") : "";
}

/** Reads limits and counts. A text names the first invalid field. */
function readNumbers(
  bytes: Uint8Array,
  values: ReadonlyMap<string, Span>,
  rules: BodyRules,
): string | { readonly limit: number; readonly count: number } {
  const read = (from: ReadonlyMap<string, Span>, names: readonly string[], max: number) => {
    let largest = 0;
    for (const name of names) {
      const span = from.get(name);
      if (span === undefined || span.kind === "null") continue;
      const value = readNumber(bytes, span);
      if (value === undefined || !Number.isInteger(value) || value < 0 || value > max) return name;
      largest = Math.max(largest, value);
    }
    return largest;
  };
  const limit = read(values, rules.limits, tokensMax);
  if (typeof limit === "string") return limit;
  let [count, inner] = [1, 0];
  for (const name of rules.settings) {
    const span = values.get(name);
    if (span?.kind !== "object") continue;
    const names = [...rules.settingLimits, ...rules.settingCounts];
    const scan = scanObject(bytes, names, span);
    const unclear = findUnclear(scan);
    if (unclear !== "") return unclear;
    const tokens = read(scan.values, rules.settingLimits, tokensMax);
    const answers = read(scan.values, rules.settingCounts, answerCountMax);
    if (typeof tokens === "string") return tokens;
    if (typeof answers === "string") return answers;
    inner = Math.max(inner, tokens);
    count = Math.max(count, answers);
  }
  return { limit: Math.max(limit, inner), count };
}

/** Writes the upstream's model into a body, also if only the path named one. */
export function rewriteModel(bytes: Uint8Array, body: RequestBody, model: string): Uint8Array {
  const span = body.spans.get("model");
  if (model === body.model && span?.kind === "string") return bytes;
  const name = JSON.stringify(model);
  if (span !== undefined) return spliced(bytes, span.start, span.end, name);
  // At least the field with the input follows the brace, so the comma is right.
  const start = bytes.indexOf(0x7b) + 1;
  return spliced(bytes, start, start, `"model":${name},`);
}

function spliced(bytes: Uint8Array, start: number, end: number, text: string): Uint8Array {
  return Buffer.concat([bytes.subarray(0, start), Buffer.from(text), bytes.subarray(end)]);
}
