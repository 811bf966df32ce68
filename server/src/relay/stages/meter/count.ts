/**
 * Decides the token counts a call is billed by: the upstream's, if it reports plausible ones,
 * otherwise the gateway's own.
 */

import { noUsage } from "@tollgate/contract/charge.ts";
import type { UsageSource } from "#canonical/call-log.ts";
import { plausible, type ReadUsage, type Usage } from "#canonical/usage.ts";
import type { ClientFormat } from "#formats/format.ts";
import type { RelayDeps } from "#relay/deps.ts";
import { keptTextMax, tokensOf, weighBytes } from "./kept-output.ts";

export type Counted = {
  readonly usage: Usage;
  readonly source: UsageSource;
  /** Why the upstream's counts were rejected; empty: they were not, or there were none. */
  readonly doubt: string;
};

/** The output of an answer, as far as it was kept. */
export type OutputSeen = {
  /** The beginning of the output. */
  readonly text: string;
  readonly textTruncated: boolean;
  /** Estimated tokens of all output. */
  readonly outputTokens: number;
};

/** Longest body whose prompt is counted; longer ones are estimated. */
const promptBytesMax = 256 * 1024;

/** How long counting may take before the estimate is used. */
const countMsMax = 5_000;

/** The upstream's counts, if they are plausible. Undefined: use `countHere`. */
export function upstreamCount(reported: ReadUsage, contentBytes: number): Counted | undefined {
  if (reported.kind !== "ok" || !plausible(reported.usage, contentBytes)) return undefined;
  return { usage: reported.usage, source: "upstream", doubt: "" };
}

/** Why the upstream's counts cannot be used; empty: there are none. */
function doubtOf(reported: ReadUsage): string {
  if (reported.kind === "missing") return "";
  return reported.kind === "suspect" ? reported.reason : "more or less output than bytes came";
}

/** The request whose prompt is counted. */
export type Asked = {
  /** The client's format. */
  readonly format: ClientFormat;
  readonly model: string;
  readonly bytes: Uint8Array;
  /** Estimated prompt tokens, if the bytes were not kept; null: count the bytes. */
  readonly promptTokens: number | null;
};

/** Estimates the tokens of a body by its bytes. */
export function estimatePrompt(bytes: Uint8Array): number {
  return tokensOf(weighBytes(bytes, 0, bytes.length));
}

/** Counts prompt and output, when `upstreamCount` found no usable counts. */
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
  // A UTF-16 unit has at most three bytes: only long texts need to be measured.
  if (text.length * 3 > keptTextMax && Buffer.byteLength(text) > keptTextMax) {
    return estimatePrompt(Buffer.from(text)) + extraTokens;
  }
  return (await countText(deps, model, text, estimatePrompt(bytes))) + extraTokens;
}

/** The tokenizer's count, or the estimate if the tokenizer fails or takes too long. */
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
