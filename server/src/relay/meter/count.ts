/**
 * Decides by which token counts a call is billed: the upstream's, if it reports plausible ones,
 * otherwise the gateway's own. Of a stream that did not end, an upstream has reported its input, but
 * not yet its output.
 */

import { noUsage } from "@tollgate/contract/money/charge.ts";
import type { UsageSource } from "@tollgate/contract/endpoints/logs.ts";
import { inputOf, judgeUsage, outputOf, type ReadUsage, type Usage } from "#canonical/usage.ts";
import type { RequestBody, Work } from "#formats/format.ts";
import type { ClientFormatId } from "#formats/registry.ts";
import type { RelayDeps } from "#relay/deps.ts";
import type { ChannelView } from "#ports/snapshot.ts";
import { instructionsOf } from "#relay/ways/instructions.ts";

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
  /** Tokens of the output that came: counted where they had to be, otherwise estimated. */
  readonly seen: number;
};

/** The output of an answer, as far as it was kept. */
type OutputSeen = {
  /** The beginning of the output. */
  readonly text: string;
  readonly textTruncated: boolean;
  /** Estimated tokens of all output. */
  readonly outputTokens: number;
};

/** The output of an answer, by its length alone. */
type OutputLength = { readonly contentBytes: number; readonly outputTokens: number };

/** What came of a stream. */
type StreamSeen = OutputSeen &
  OutputLength & {
    readonly usage: ReadUsage;
    /** Which share of the output, from 0 to 1, is known to be reasoning. */
    readonly reasoningShare: number;
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
 * Returns the upstream's counts, if they are plausible and leave nothing open. Undefined: the caller
 * has to count with `countEnded`.
 */
export function upstreamCount(
  { modality, work }: Pick<RequestBody, "modality" | "work">,
  reported: ReadUsage,
  output: OutputLength,
  trust: UsageTrust,
): Counted | undefined {
  if (openIn(reported, output) !== undefined) return undefined;
  // Vectors are no text, so nothing else shows that something came.
  if (reported.kind === "zero" && modality === "embeddings") return undefined;
  return work === undefined ? judgeReport(reported, output, trust) : countWork(reported, work);
}

/** Returns what a report leaves open that the gateway has to count. Undefined: nothing. */
function openIn(
  reported: ReadUsage,
  { contentBytes }: OutputLength,
): "output" | "prompt" | undefined {
  if (reported.kind !== "ok") return undefined;
  return reported.untold === "output" && contentBytes === 0 ? undefined : reported.untold;
}

function judgeReport(
  reported: ReadUsage,
  output: OutputLength,
  { outputMax, onlyVisible }: UsageTrust,
): Counted | undefined {
  const source = "upstream";
  // What a program made is no output of the model.
  if (reported.kind === "program" || (reported.kind === "zero" && output.contentBytes === 0)) {
    return { usage: noUsage, source, doubt: "", hiddenOutput: false, seen: 0 };
  }
  if (reported.kind !== "ok") return undefined;
  const { usage, contradiction } = reported;
  const verdict = judgeUsage(usage, output.contentBytes, outputMax);
  if (verdict === "impossible" || (verdict === "hidden" && onlyVisible)) return undefined;
  const hiddenOutput = verdict === "hidden";
  return { usage, source, doubt: contradiction, hiddenOutput, seen: visibleTokens(output) };
}

/**
 * Counts of an ended answer what its reports leave open. The rest of them is believed if it is
 * plausible.
 */
export async function countEnded(
  deps: Pick<RelayDeps, "log" | "tokenizer">,
  call: CountedCall,
  end: StreamSeen,
  trust: UsageTrust,
): Promise<Counted> {
  const { work } = call.body;
  const open = openIn(end.usage, end);
  if (open === "output") return await countCut(deps, call, end, trust);
  const told = work === undefined ? judgeReport(end.usage, end, trust) : countWork(end.usage, work);
  if (open !== "prompt" || told === undefined) return await countHere(deps, call, end.usage, end);
  const input = work?.input ?? (await countPrompt(deps, call));
  return { ...told, usage: { ...told.usage, input }, source: "suspect", doubt: promptUntold };
}

/** Why a row is marked whose prompt the gateway counted, though the upstream counted the output. */
export const promptUntold = "the upstream did not tell the prompt";

/** A text has at most half as many tokens as bytes, in any language. */
const bytesPerTokenMin = 2;

/**
 * Estimates the tokens of output that was not counted. The running estimate takes each piece for a
 * token at least, which is too much where an upstream sends letter by letter.
 */
function visibleTokens({ contentBytes, outputTokens }: OutputLength): number {
  return Math.min(outputTokens, Math.ceil(contentBytes / bytesPerTokenMin));
}

/**
 * Counts an answer that did not end, or whose last report came before its last output. What the
 * upstream has reported of input, cache and reasoning is believed. Its count of output is one of the
 * beginning, so the output is what was reported or what was seen, whichever is more.
 */
export async function countCut(
  deps: Pick<RelayDeps, "log" | "tokenizer">,
  call: CountedCall,
  end: StreamSeen,
  trust: UsageTrust,
): Promise<Counted> {
  const { usage: reported } = end;
  if (call.body.work !== undefined) return await countCutWork(deps, call, end, call.body.work);
  if (!isBelievedInPart(end, trust)) return await countHere(deps, call, reported, end);
  const { usage, contradiction, untold } = end.usage;
  const [seen, input] = await Promise.all([
    countOutput(deps, call, end),
    untold === "prompt" ? countPrompt(deps, call) : usage.input,
  ]);
  return {
    usage: withSeen({ ...usage, input }, seen, end.reasoningShare),
    source: "upstream+seen",
    doubt: untold === "prompt" ? promptUntold : contradiction,
    hiddenOutput: judgeUsage(usage, end.contentBytes, trust.outputMax) === "hidden",
    seen,
  };
}

/** Whether a report of a stream that did not end may be right as far as it goes. */
function isBelievedInPart(
  end: StreamSeen,
  { outputMax, onlyVisible }: UsageTrust,
): end is StreamSeen & { readonly usage: Extract<ReadUsage, { kind: "ok" }> } {
  if (end.usage.kind !== "ok") return false;
  const { usage } = end.usage;
  // No output was reported yet.
  if (outputOf(usage) === 0) return true;
  const verdict = judgeUsage(usage, end.contentBytes, outputMax);
  return verdict === "plausible" || (verdict === "hidden" && !onlyVisible);
}

/**
 * Raises the counts of output to what was seen. Where reasoning was reported apart, seen reasoning is
 * part of it and no output, so that no token counts twice.
 */
function withSeen(usage: Usage, seen: number, reasoningShare: number): Usage {
  const reasoned = usage.reasoning === 0 ? 0 : Math.round(seen * reasoningShare);
  return {
    ...usage,
    output: Math.max(usage.output, seen - reasoned),
    reasoning: Math.max(usage.reasoning, reasoned),
  };
}

/** Counts output by the tokenizer as far as it was kept whole, otherwise by the estimate. */
async function countOutput(
  deps: Pick<RelayDeps, "log" | "tokenizer">,
  { model }: Pick<CountedCall, "model">,
  { text, textTruncated, outputTokens }: OutputSeen,
): Promise<number> {
  return textTruncated ? outputTokens : await countText(deps, model, text, outputTokens);
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
function countWork(reported: ReadUsage, work: Work, seen = 0): Counted | undefined {
  const { callThousandths, input, inputMax, outputMax } = work;
  if (reported.kind === "ok") {
    const { usage, contradiction } = reported;
    if (inputOf(usage) <= inputMax && outputOf(usage) <= outputMax) {
      const counted = { ...usage, callThousandths };
      return {
        usage: counted,
        source: "upstream",
        doubt: contradiction,
        hiddenOutput: false,
        seen,
      };
    }
  }
  if (input === null) return undefined;
  const doubt = reported.kind === "ok" ? "more tokens than the call can have" : doubtOf(reported);
  return {
    usage: { ...noUsage, input, callThousandths },
    source: doubt === "" ? "local" : "suspect",
    doubt,
    hiddenOutput: false,
    seen,
  };
}

/** The same for a stream that did not end, such as a transcript: its output is what was seen. */
async function countCutWork(
  deps: Pick<RelayDeps, "log" | "tokenizer">,
  call: CountedCall,
  end: StreamSeen,
  work: Work,
): Promise<Counted> {
  // Sound has no tokens to be seen, and pictures may have none at all.
  const seen = Math.min(await countOutput(deps, call, end), work.outputMax);
  const counted = countWork(end.usage, work, seen);
  if (counted === undefined) return await countHere(deps, call, end.usage, end);
  const source = counted.source === "upstream" ? "upstream+seen" : counted.source;
  return { ...counted, usage: withSeen(counted.usage, seen, 0), source };
}

/** The call whose prompt is counted. */
type CountedCall = {
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
  call: CountedCall,
  reported: ReadUsage,
  output: OutputSeen,
): Promise<Counted> {
  const [input, written] = await Promise.all([
    countPrompt(deps, call),
    countOutput(deps, call, output),
  ]);
  const doubt = doubtOf(reported);
  const { work } = call.body;
  const times = work === undefined ? {} : { callThousandths: work.callThousandths };
  return {
    usage: { ...noUsage, input, output: written, ...times },
    source: doubt === "" ? "local" : "suspect",
    doubt,
    hiddenOutput: false,
    seen: written,
  };
}

/**
 * Counts the prompt, with the text that the channel puts in front of the client's own instructions,
 * on the tokenizer's thread, because a request may have megabytes. If that thread does not answer in
 * time, the prompt is estimated from its text bytes and media parts.
 */
export async function countPrompt(
  deps: Pick<RelayDeps, "log" | "tokenizer">,
  call: CountedCall,
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
  { formatId, body, model, tried }: CountedCall,
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
