/**
 * Decides by which token counts a call is billed: the upstream's, if it reports plausible ones,
 * otherwise the gateway's own.
 */

import { noUsage } from "@tollgate/contract/charge.ts";
import type { UsageSource } from "#canonical/call-log.ts";
import { inputOf, judgeUsage, outputOf, type ReadUsage, type Usage } from "#canonical/usage.ts";
import type { RequestBody, Work } from "#formats/format.ts";
import type { ClientFormatId } from "#formats/registry.ts";
import type { RelayDeps } from "#relay/deps.ts";
import type { ChannelView } from "#relay/snapshot.ts";
import { instructionsOf } from "#relay/stages/translate.ts";

export type Counted = {
  readonly usage: Usage;
  readonly source: UsageSource;
  /**
   * Why the upstream's counts were rejected, or how they contradict themselves. Empty: there is no
   * doubt, or there were no counts.
   */
  readonly doubt: string;
  /**
   * Whether the upstream counted more output than was sent, such as hidden reasoning, and its count
   * was used.
   */
  readonly hiddenOutput: boolean;
};

/** The output of an answer, as far as it was kept. */
type OutputSeen = {
  /** The beginning of the output. */
  readonly text: string;
  readonly textTruncated: boolean;
  /** Estimated tokens of all output. */
  readonly outputTokens: number;
};

/** How long the tokenizer may take to count before the estimate is used instead. */
const countMsMax = 5_000;

/** How far an upstream's counts are believed. */
export type UsageTrust = {
  /**
   * The most output tokens that are plausible for the call: the client's limit, or what is held
   * without one.
   */
  readonly outputMax: number;
  /** Whether to reject a count of more output than was sent. */
  readonly onlyVisible: boolean;
};

/**
 * Returns the upstream's counts, if they are plausible. Undefined: the caller has to count with
 * `countHere`.
 */
export function upstreamCount(
  { work }: Pick<RequestBody, "work">,
  reported: ReadUsage,
  contentBytes: number,
  { outputMax, onlyVisible }: UsageTrust,
): Counted | undefined {
  if (work !== undefined) return countWork(reported, work);
  const source = "upstream";
  if (reported.kind === "program" || (reported.kind === "zero" && contentBytes === 0)) {
    return { usage: noUsage, source, doubt: "", hiddenOutput: false };
  }
  if (reported.kind !== "ok") return undefined;
  const { usage, contradiction } = reported;
  const verdict = judgeUsage(usage, contentBytes, outputMax);
  if (verdict === "impossible" || (verdict === "hidden" && onlyVisible)) return undefined;
  return { usage, source, doubt: contradiction, hiddenOutput: verdict === "hidden" };
}

/** Says why the upstream's counts cannot be used; empty: the upstream reported none. */
function doubtOf(reported: ReadUsage): string {
  if (reported.kind === "suspect") return reported.reason;
  return reported.kind === "ok" ? "more or less output than bytes came" : "";
}

/**
 * Returns the upstream's counts of a call that is charged for other work than text, if they are
 * plausible, or else what the gateway knows of the request.
 */
function countWork(reported: ReadUsage, work: Work): Counted | undefined {
  const { callThousandths, input, inputMax, outputMax } = work;
  if (reported.kind === "ok") {
    const { usage, contradiction } = reported;
    if (inputOf(usage) <= inputMax && outputOf(usage) <= outputMax) {
      const counted = { ...usage, callThousandths };
      return { usage: counted, source: "upstream", doubt: contradiction, hiddenOutput: false };
    }
  }
  if (input === null) return undefined;
  const doubt = reported.kind === "ok" ? "more tokens than the call can have" : doubtOf(reported);
  return {
    usage: { ...noUsage, input, callThousandths },
    source: doubt === "" ? "local" : "suspect",
    doubt,
    hiddenOutput: false,
  };
}

/** The call whose prompt is counted. */
type Asked = {
  /** The client's format. */
  readonly formatId: ClientFormatId;
  readonly model: string;
  readonly bytes: Uint8Array;
  readonly body: Pick<RequestBody, "mediaParts" | "modality" | "textBytes" | "work">;
  /** The channels that were tried; the last one answered. */
  readonly tried: readonly ChannelView[];
  /**
   * The prompt's token count, if counting began earlier because the bytes could not be kept; null:
   * count the bytes.
   */
  readonly promptTokens: Promise<number> | null;
};

/**
 * For the estimate: ordinary text has about four bytes a token, and an image about a thousand
 * tokens.
 */
const bytesPerToken = 4;
const mediaPartTokens = 1_000;

/**
 * Counts prompt and output by the gateway itself, for calls without usable counts from the
 * upstream.
 */
export async function countHere(
  deps: Pick<RelayDeps, "log" | "tokenizer">,
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
  const { work } = call.body;
  const times = work === undefined ? {} : { callThousandths: work.callThousandths };
  return {
    usage: { ...noUsage, input, output: written, ...times },
    source: doubt === "" ? "local" : "suspect",
    doubt,
    hiddenOutput: false,
  };
}

/**
 * Counts the prompt, with the text that the channel puts in front of the client's own instructions,
 * on the tokenizer's thread, because a request may have megabytes. If that thread does not answer in
 * time, the prompt is estimated from its text bytes and media parts.
 */
export async function countPrompt(
  deps: Pick<RelayDeps, "log" | "tokenizer">,
  call: Asked,
): Promise<number> {
  const { formatId, bytes, body, model, promptTokens } = call;
  if (promptTokens !== null) return await promptTokens;
  const estimate = Math.ceil(body.textBytes / bytesPerToken) + body.mediaParts * mediaPartTokens;
  const counting = deps.tokenizer.countPrompt({ formatId, model, bytes });
  const [own, added] = await Promise.all([
    inTime(deps, model, estimate, counting),
    countInstructions(deps, call),
  ]);
  return own + added;
}

/** Counts the channel's text, which the upstream charges for like the client's. */
async function countInstructions(
  deps: Pick<RelayDeps, "log" | "tokenizer">,
  { formatId, body, model, tried }: Asked,
): Promise<number> {
  const channel = tried.at(-1);
  if (channel === undefined) return 0;
  const text = instructionsOf({ channel, formatId }, body);
  return await countText(deps, model, text, Math.ceil(Buffer.byteLength(text) / bytesPerToken));
}

/** Counts a text with the tokenizer. Returns the estimate if that fails or takes too long. */
export async function countText(
  deps: Pick<RelayDeps, "log" | "tokenizer">,
  model: string,
  text: string,
  estimate: number,
): Promise<number> {
  if (text === "") return 0;
  return await inTime(deps, model, estimate, deps.tokenizer.count(model, text));
}

async function inTime(
  { log }: Pick<RelayDeps, "log">,
  model: string,
  estimate: number,
  counting: Promise<number | null>,
): Promise<number> {
  const { promise: late, resolve } = Promise.withResolvers<null>();
  const timer = setTimeout(resolve, countMsMax, null);
  try {
    return (await Promise.race([counting, late])) ?? estimate;
  } catch (error) {
    log.warn({ err: error, model }, "tokens were estimated: the tokenizer failed");
    return estimate;
  } finally {
    clearTimeout(timer);
  }
}
