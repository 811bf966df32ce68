/**
 * What upstreams say in a usage report that the call costs them who ask. Clients are not told: it is
 * what the gateway pays, and no client is to know that.
 */

import { parseDecimal } from "@tollgate/contract/endpoints/prices.ts";
import { enterObject, keyIs, newCursor, nextKey, setCursor, skipValue } from "#base/json-cursor.ts";
import type { ReadUsage } from "#canonical/usage.ts";

/** No call costs more US dollars; a larger figure is no cost. */
const dollarsMax = 1_000_000;

/** xAI counts in ticks, of which this many are a dollar: docs.x.ai, read on 2026-11-29. */
const ticksPerDollar = 10_000_000_000n;

/** The fields of a usage report that say what a call costs, in whole or in part. */
const costNames = ["cost", "cost_details", "cost_in_usd_ticks", "estimated_cost", "total_cost"];

/** Adds to a report what it says of the cost; reports without a cost stay the same object. */
export function withCost(report: ReadUsage, raw: unknown): ReadUsage {
  if (report.kind === "missing" || report.kind === "program") return report;
  const cost = readCost(raw);
  return cost === "" ? report : { ...report, cost };
}

/**
 * Reads the cost of a call in US dollars, as a decimal; empty: there is none. `cost` is OpenRouter's,
 * `cost` with a `total_cost` in it Perplexity's, `estimated_cost` DeepInfra's.
 */
function readCost(raw: unknown): string {
  if (!isRecord(raw)) return "";
  const { cost, cost_in_usd_ticks: ticks, estimated_cost: estimated, total_cost: total } = raw;
  if (typeof ticks === "number" && Number.isSafeInteger(ticks) && ticks >= 0) {
    const part = String(BigInt(ticks) % ticksPerDollar).padStart(10, "0");
    return decimalOf(`${BigInt(ticks) / ticksPerDollar}.${part}`);
  }
  const dollars = isRecord(cost) ? cost["total_cost"] : (cost ?? total ?? estimated);
  if (typeof dollars !== "number" || !(dollars >= 0) || dollars > dollarsMax) return "";
  return decimalOf(String(dollars)) || decimalOf(dollars.toFixed(12));
}

function decimalOf(text: string): string {
  const parsed = parseDecimal(text);
  return parsed.ok ? parsed.value : "";
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

const cursor = newCursor();

/**
 * Takes the cost out of a usage object in the bytes of an answer, in place: its fields become blanks,
 * so that the answer stays as long as it was. They are not left as `null`, which client libraries
 * refuse where they know a number or nothing.
 */
export function blankCost(bytes: Uint8Array, start: number, end: number): void {
  setCursor(cursor, bytes, start, end);
  const first = cursor.at + 1;
  /** Where the last field ends that stays; 0: none has stayed yet. */
  let keptEnd = 0;
  for (let more = enterObject(cursor); more; more = nextKey(cursor)) {
    const isCost = costNames.some((name) => keyIs(cursor, name));
    const keyAt = cursor.keyStart - 1;
    skipValue(cursor);
    if (cursor.failed) return;
    if (isCost) bytes.fill(blank, keptEnd === 0 ? keyAt : keptEnd, cursor.at);
    else {
      // Fields before this one went without the comma behind them.
      if (keptEnd === 0) bytes.fill(blank, first, keyAt);
      keptEnd = cursor.at;
    }
  }
  if (!cursor.failed && keptEnd === 0) bytes.fill(blank, first, cursor.at - 1);
}

const blank = 0x20;
