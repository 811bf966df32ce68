/**
 * Reads answers of models that continue a text: Titan, Command, Llama, Mistral and the first Claude.
 * Each names the text, the reason to stop and the counts in its own way.
 */

import type { Json, JsonObject } from "#base/json.ts";
import type { CanonicalEvent, EndReason } from "#canonical/event.ts";
import type { ReadUsage } from "#canonical/usage.ts";
import { openAnswerEvents } from "#formats/shared/answer-events.ts";
import { finishOf } from "#formats/shared/finish.ts";
import { asObject, listOf, objectOf, textOf } from "#formats/shared/read-json.ts";
import { openTokenCounts, readCounts } from "#formats/shared/token-counts.ts";
import { breakOff } from "#formats/shared/upstream-fault.ts";

/** Reads the objects of one answer; a whole answer is one object. */
type PlainReader = {
  read(fields: JsonObject): CanonicalEvent[];
  end(): CanonicalEvent[];
};

const reasons: Readonly<Record<string, EndReason>> = {
  content_filtered: "refused",
  max_tokens: "length",
  length: "length",
};

export function openPlainReader(): PlainReader {
  const events = openAnswerEvents();
  let word = "";
  let reported = false;
  return {
    read(fields) {
      events.start("", "");
      for (const part of [fields, ...partsOf(fields)]) {
        events.text(textOfPart(part));
        word = reasonOf(part) || word;
      }
      const report = readUsage(countsOf(fields));
      if (report.kind !== "missing") reported = true;
      events.report(report);
      return events.take();
    },
    end() {
      if (word === "" && !reported) breakOff(events);
      else {
        events.endItem();
        events.usage();
        const reason = word.toLowerCase();
        events.finish(finishOf(reason, { [reason]: "complete", ...reasons }, false));
      }
      return events.take();
    },
  };
}

function readUsage(metrics: JsonObject): ReadUsage {
  const counts = openTokenCounts();
  const input = counts.count(metrics, "inputTokenCount");
  const output = counts.count(metrics, "outputTokenCount");
  return readCounts({ input, output }, counts.wrong());
}

/** The lists in which some answers have their texts. */
function partsOf(fields: JsonObject): readonly JsonObject[] {
  const lists = ["outputs", "generations", "results"].flatMap((name) => listOf(fields[name]));
  return lists.map(objectOf).slice(0, 1);
}

function textOfPart(part: JsonObject): string {
  for (const name of ["text", "outputText", "completion", "generation"]) {
    const text = textOf(part[name]);
    if (text !== "") return text;
  }
  return "";
}

function reasonOf(part: JsonObject): string {
  for (const name of ["stop_reason", "finish_reason", "completionReason"]) {
    const reason = textOf(part[name]);
    if (reason !== "") return reason;
  }
  return "";
}

/** The counts that Bedrock adds to the last event, or those of the model. */
function countsOf(fields: JsonObject): JsonObject {
  const metrics = asObject(fields["amazon-bedrock-invocationMetrics"]);
  if (metrics !== undefined) return metrics;
  const found: Record<string, Json> = {};
  const input = fields["prompt_token_count"] ?? fields["inputTextTokenCount"];
  const output =
    fields["generation_token_count"] ?? objectOf(listOf(fields["results"])[0])["tokenCount"];
  if (typeof input === "number") found["inputTokenCount"] = input;
  if (typeof output === "number") found["outputTokenCount"] = output;
  return found;
}
