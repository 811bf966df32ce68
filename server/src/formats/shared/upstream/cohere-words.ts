/** What both versions of Cohere's chat format have in common. */

import type { JsonObject } from "#base/json.ts";
import type { EndReason } from "#canonical/event.ts";
import type { Citation } from "#canonical/request.ts";
import type { ReadUsage } from "#canonical/usage.ts";
import type { AnswerEvents } from "#formats/shared/answer-events.ts";
import { finishOf } from "#formats/shared/finish.ts";
import { listOf, numberOf, objectOf, textOf } from "#formats/shared/read-json.ts";
import { openTokenCounts, readCounts, reportOf } from "#formats/shared/token-counts.ts";
import { answerFault } from "#formats/shared/upstream-fault.ts";

const reasons: Readonly<Record<string, EndReason>> = {
  COMPLETE: "complete",
  STOP_SEQUENCE: "stop-sequence",
  MAX_TOKENS: "length",
  TOOL_CALL: "tool-call",
  ERROR_LIMIT: "context-full",
  ERROR_TOXIC: "refused",
};

/** Reasons that are a failure of the provider. */
const failures: ReadonlySet<string> = new Set(["ERROR", "TIMEOUT", "USER_CANCEL"]);

/** Ends an answer for the reason that the provider gives; `error` says more about a failure. */
export function endAnswer(events: AnswerEvents, reason: string, error: string): void {
  if (failures.has(reason)) {
    events.fault(answerFault(reason, error || "the upstream ended the answer with an error"));
    return;
  }
  events.finish(finishOf(reason || "COMPLETE", reasons, events.calledTool()));
}

/**
 * Reads a usage report. The tokens that the model processed are counted: those that Cohere bills
 * leave out its own prompt, so cached tokens would not be a part of them.
 */
export function readUsage(raw: unknown): ReadUsage {
  const report = reportOf(raw);
  if (report === undefined) return { kind: "missing" };
  const counts = openTokenCounts();
  const tokens = objectOf(report["tokens"]);
  const billed = objectOf(report["billed_units"]);
  const found = {
    input: counts.count(tokens, "input_tokens") ?? counts.count(billed, "input_tokens"),
    output: counts.count(tokens, "output_tokens") ?? counts.count(billed, "output_tokens"),
    cacheRead: counts.count(report, "cached_tokens"),
    inputImage: counts.count(tokens, "image_tokens"),
    reasoning: counts.count(tokens, "reasoning_tokens"),
  };
  return readCounts(found, counts.wrong());
}

/** Reads a citation. Its sources are documents of the request or results of its tools. */
export function readCitation(citation: JsonObject): Citation {
  const source = objectOf(listOf(citation["sources"])[0]);
  const cited = objectOf(source["tool_output"] ?? source["document"]);
  return {
    url: textOf(cited["url"]) || textOf(source["id"]),
    title: textOf(cited["title"]),
    quote: textOf(citation["text"]),
    start: numberOf(citation["start"]),
    end: numberOf(citation["end"]),
  };
}
