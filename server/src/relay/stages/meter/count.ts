/**
 * What a call is billed by: the upstream's own count where it is there and can be true, else ours.
 */

import type { UsageSource } from "#canonical/call-log.ts";
import { noUsage, plausible, type ReadUsage, type Usage } from "#canonical/usage.ts";
import type { ClientFormat } from "#formats/format.ts";
import type { RelayDeps } from "#relay/deps.ts";
import { keptTextMax, tokensOf, weighBytes } from "./kept-output.ts";

export type Counted = {
  readonly usage: Usage;
  readonly source: UsageSource;
  /** Why the upstream's count was not taken; empty: it was, or there was none. */
  readonly doubt: string;
};

/** What came of an answer's output. */
export type OutputSeen = {
  /** The head of it. */
  readonly text: string;
  readonly textTruncated: boolean;
  /** Running estimate of all of it. */
  readonly outputTokens: number;
};

/** A prompt whose body is longer is estimated by its bytes. */
const promptBytesMax = 256 * 1024;

/** How long a count may take before the estimate is taken instead. */
const countMsMax = 5_000;

/** The upstream's count, if it can be billed by. Undefined: count here. */
export function upstreamCount(reported: ReadUsage, contentBytes: number): Counted | undefined {
  if (reported.kind !== "ok" || !plausible(reported.usage, contentBytes)) return undefined;
  return { usage: reported.usage, source: "upstream", doubt: "" };
}

/** Why the upstream's count cannot be billed by; empty: there is none. */
function doubtOf(reported: ReadUsage): string {
  if (reported.kind === "missing") return "";
  return reported.kind === "suspect" ? reported.reason : "more or less output than bytes came";
}

/** What was asked. */
export type Asked = {
  /** The format the client asked in. */
  readonly format: ClientFormat;
  readonly model: string;
  readonly bytes: Uint8Array;
  /** Estimate made while the bytes were there; null: they still are. */
  readonly promptTokens: number | null;
};

/** An estimate of the tokens of a body nobody has the room or the time to count. */
export function estimatePrompt(bytes: Uint8Array): number {
  return tokensOf(weighBytes(bytes, 0, bytes.length));
}

/** Counts prompt and output here, after `upstreamCount` had nothing. */
export async function countHere(
  deps: Pick<RelayDeps, "countTokens" | "log">,
  call: Asked,
  reported: ReadUsage,
  output: OutputSeen,
): Promise<Counted> {
  const [input, written] = await Promise.all([
    countPrompt(deps, call),
    output.textTruncated
      ? output.outputTokens
      : countText(deps, call.model, output.text, output.outputTokens),
  ]);
  const doubt = doubtOf(reported);
  return {
    usage: { ...noUsage, input, output: written },
    source: doubt === "" ? "local" : "suspect",
    doubt,
  };
}

async function countPrompt(
  deps: Pick<RelayDeps, "countTokens" | "log">,
  { format, bytes, model, promptTokens }: Asked,
): Promise<number> {
  if (promptTokens !== null) return promptTokens;
  if (bytes.length > promptBytesMax) return estimatePrompt(bytes);
  const { text, extraTokens } = format.readPrompt(parse(bytes));
  // A UTF-16 unit is at most three bytes; the exact length matters to nobody.
  if (text.length * 3 > keptTextMax && Buffer.byteLength(text) > keptTextMax) {
    return estimatePrompt(Buffer.from(text)) + extraTokens;
  }
  return (await countText(deps, model, text, estimatePrompt(bytes))) + extraTokens;
}

/** The exact count, or the estimate when the tokenizer cannot be had in time. */
export async function countText(
  deps: Pick<RelayDeps, "countTokens" | "log">,
  model: string,
  text: string,
  estimate: number,
): Promise<number> {
  if (text === "") return 0;
  const { promise: late, resolve } = Promise.withResolvers<number>();
  const timer = setTimeout(resolve, countMsMax, estimate);
  try {
    return await Promise.race([deps.countTokens(model, text), late]);
  } catch (error) {
    deps.log.warn({ err: error, model }, "tokens were estimated: the tokenizer failed");
    return estimate;
  } finally {
    clearTimeout(timer);
  }
}

function parse(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(body));
  } catch {
    return null;
  }
}
