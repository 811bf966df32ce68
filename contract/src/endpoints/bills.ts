/**
 * The bill of an upstream, laid beside the ledger: a usage file is sent in parts and compared with
 * the calls that channels answered, by day, model and key. Nothing is changed by it.
 */

import { z } from "zod";
import { endpoint } from "./endpoint.ts";
import { id } from "@tollgate/contract/fields/fields.ts";
import { zoneOption } from "@tollgate/contract/fields/time-zone.ts";

/**
 * The forms of usage files: the exports of Anthropic, OpenAI and OpenRouter, the log of a gateway of
 * the family, and any CSV whose columns are named.
 */
export const billKind = z.enum(["anthropic", "csv", "new-api", "openai", "openrouter"]);
export type BillKind = z.infer<typeof billKind>;

/** What the columns of a CSV file mean. */
export const billColumn = z.enum([
  "time",
  "model",
  "key",
  "id",
  "input",
  "output",
  "calls",
  "amount",
]);
export type BillColumn = z.infer<typeof billColumn>;

/** The longest file that is compared, in characters, and the longest part of it that is sent. */
export const billTextMax = 20_000_000;
export const billPartMax = 200_000;
const billPartsMax = 200;

/** The most rows and findings that an answer names. */
export const billRowsMax = 2_000;

const whole = z.number().int();

/** Begins a bill; the caller's earlier ones are forgotten. */
export const beginBill = endpoint({
  method: "POST",
  path: "/api/bills",
  access: "root",
  input: z.object({}),
  output: z.object({ id: whole }),
});

/** Adds the next part of the file. */
export const addBillPart = endpoint({
  method: "POST",
  path: "/api/bills/:id/parts",
  access: "root",
  input: z.object({
    id,
    /** From 0 on. */
    place: whole.min(0).max(billPartsMax - 1),
    text: z.string().min(1).max(billPartMax),
  }),
  output: z.void(),
});

/** The largest number of decimal places of an amount. */
const placesMax = 12;

const toleranceMax = 86_400;

export const billQuestion = z.object({
  kind: billKind,
  /** The zone of days, and of times that name none. */
  zone: zoneOption.default("UTC"),
  /** To how many places the file rounds its amounts. */
  places: whole.min(0).max(placesMax).default(6),
  /** The channels whose calls the file is about; empty: all. */
  channels: z.array(whole.min(1)).max(1_000).default([]),
  /** The channel of each key that the file names; a key with the name of a channel is its own. */
  keys: z.record(z.string().max(300), whole.min(1)).default({}),
  /** The headings of the columns of a CSV file; of other kinds they are known. */
  columns: z.partialRecord(billColumn, z.string().trim().max(200)).default({}),
  /** How many seconds the clocks of both sides may differ. */
  tolerance: whole.min(0).max(toleranceMax).default(300),
});
export type BillQuestion = z.infer<typeof billQuestion>;

const sums = z.object({
  /** Null: the file does not say. */
  calls: whole.nullable(),
  input: whole,
  output: whole,
  /** US dollars as a decimal: the file's amount, or what the channels' calls cost; null: unknown. */
  dollars: z.string().nullable(),
});
export type BillSums = z.infer<typeof sums>;

const billRow = z.object({
  /** As `YYYY-MM-DD` in the zone. */
  day: z.string(),
  model: z.string(),
  /** The name of the key in the file; empty: keys are not compared. */
  key_name: z.string(),
  bill: sums,
  here: sums,
});
export type BillRow = z.infer<typeof billRow>;

/**
 * What explains a gap. `missing-here`: a line without a call; `missing-there`: a call without a line;
 * `other-counts`: a line and a call whose counts differ; `own-count`: in a gap of a file by day, a
 * call that the gateway counted itself, because the upstream reported nothing that could be believed.
 */
export const billFindingKind = z.enum([
  "missing-here",
  "missing-there",
  "other-counts",
  "own-count",
]);
export type BillFindingKind = z.infer<typeof billFindingKind>;

const counts = z.object({ input: whole, output: whole });

const billFinding = z.object({
  kind: billFindingKind,
  /** The line of the file, from 1 on; 0: it has none. */
  line: whole,
  /** Unix seconds. */
  at: whole,
  model: z.string(),
  key_name: z.string(),
  /** The call's own id here; empty: there is no call. */
  request_id: z.string(),
  bill: counts.nullable(),
  here: counts.nullable(),
});
export type BillFinding = z.infer<typeof billFinding>;

export const billResult = z.object({
  kind: billKind,
  zone: z.string(),
  places: whole,
  /** Whether the file has a line a call, and not a sum a day. */
  by_call: z.boolean(),
  /** What was compared, in Unix seconds; both inclusive. */
  start: whole,
  end: whole,
  /** How many lines were read, and how many calls there are here. */
  lines: whole,
  calls: whole,
  bill: sums,
  here: sums,
  /** The days, models and keys with a gap first; at most `billRowsMax`. */
  rows: z.array(billRow),
  rows_total: whole,
  findings: z.array(billFinding),
  findings_total: whole,
  /** Lines that could not be read, the first of them, and how many. */
  faults: z.array(z.object({ line: whole, message: z.string() })),
  faults_total: whole,
  /** Rows and findings as CSV. */
  csv: z.string(),
});
export type BillResult = z.infer<typeof billResult>;

/** Lays a bill that was sent beside the ledger. */
export const compareBill = endpoint({
  method: "POST",
  path: "/api/bills/:id/compare",
  access: "root",
  input: billQuestion.extend({ id }),
  output: billResult,
});
