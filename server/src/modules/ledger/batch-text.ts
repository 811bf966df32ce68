/**
 * The text by which a batch crosses to the writer's thread: JSON, which costs a third of a
 * structured clone. The log records of calls are rows of values in a fixed order, and texts that
 * repeat, such as names, stand in the batch once.
 */

import type { UsageSource } from "@tollgate/contract/endpoints/logs.ts";
import { addedNames } from "@tollgate/contract/logs/fields.ts";
import type { ServiceTier } from "@tollgate/contract/money/service-tiers.ts";
import type {
  BegunTask,
  CallLog,
  ChargedCallLog,
  GivenIds,
  LogPrice,
} from "#canonical/call-log.ts";
import type { Usage } from "#canonical/usage.ts";
import { callFacts } from "#modules/logs/logs.ts";
import type { BudgetClaim } from "./budgets/budgets.ts";
import type { Batch, Operation } from "./operations.ts";

type BatchText = readonly [
  nodeId: string,
  epoch: number,
  again: boolean,
  ...operations: OperationsText,
];

/** A change of its shape is a new `recordFormat` of `journal/records.ts`. */
type OperationsText = readonly [
  texts: readonly string[],
  prices: readonly LogPrice[],
  operations: readonly (PlainOperation | Row)[],
];

/** An operation without a log record. */
type PlainOperation = Exclude<Operation, { readonly log: unknown }>;

type Row = ChargeRow | FailRow;

type ChargeRow = readonly [
  type: "reverse" | "settle",
  id: string,
  tokenLimited: boolean,
  charge: number,
  /** `charged` of a settlement, `atMs` of a reversal. */
  own: number | null,
  log: LogValues,
  charged: ChargeValues,
  budget?: BudgetClaim,
];

type FailRow = readonly [
  type: "fail",
  status: number,
  errorType: string,
  errorCode: string,
  message: string,
  fault: string,
  log: LogValues,
];

/** An index into the texts of the batch. */
type TextIndex = number;

/**
 * The facts of a call in the order of `factNames`, then those of `addedNames`, and last its tags if it
 * has any: the only list behind the facts, so that it is found wherever further names are added.
 */
type LogValues = readonly (TextIndex | CallFact | null)[];
type CallFact = CallLog[keyof CallLog];

// Safe cast: these are the names of the object.
const factNames = Object.keys(callFacts) as readonly (keyof typeof callFacts)[];
const isShared: readonly boolean[] = factNames.map((name) => callFacts[name].packed === "shared");

/** A copy of it has a place for each fact, so that all records have one shape. */
const blankFacts = Object.fromEntries(factNames.map((name) => [name, null]));

type ChargeValues = readonly [
  usage: UsageValues,
  usageSource: UsageSource,
  priceVersion: number,
  price: number,
  interrupted: TextIndex,
  doubt: TextIndex,
  hiddenOutput: boolean,
  seenOutput: number,
  cost: number | null,
  costVersion: number,
  reportedCost: string,
  task?: BegunTask | null,
  given?: GivenIds,
];

type UsageValues = readonly [
  input: number,
  cacheRead: number,
  cacheWrite5m: number,
  cacheWrite1h: number,
  inputAudio: number,
  inputImage: number,
  output: number,
  reasoning: number,
  outputAudio: number,
  outputImage: number,
  callThousandths?: number | null,
  tier?: ServiceTier | null,
  cacheAudio?: number,
  cacheImage?: number,
  searches?: number,
  minute?: number,
];

export function encodeBatch({ nodeId, epoch, again, operations }: Batch): string {
  const text: BatchText = [nodeId, epoch, again, ...partsOf(operations)];
  return JSON.stringify(text);
}

/** Writes operations as a record of the journal has them. Equal operations have equal texts. */
export function encodeOperations(operations: readonly Operation[]): string {
  return JSON.stringify(partsOf(operations));
}

function partsOf(operations: readonly Operation[]): OperationsText {
  const texts = openTable<string>();
  const prices = openTable<LogPrice>();
  const rows = operations.map((operation) => encode(operation, texts, prices));
  return [texts.values, prices.values, rows];
}

/** Reads a text that `encodeBatch` of the same program has made. */
export function decodeBatch(text: string): Batch {
  // Safe cast: see above.
  const [nodeId, epoch, again, ...parts] = JSON.parse(text) as BatchText;
  return { nodeId, epoch, again, operations: operationsOf(parts) };
}

/** Reads a text that `encodeOperations` of a program with the same format of records has made. */
export function decodeOperations(text: string): readonly Operation[] {
  // Safe cast: see above.
  return operationsOf(JSON.parse(text) as OperationsText);
}

function operationsOf([texts, prices, rows]: OperationsText): readonly Operation[] {
  const tables = { texts, prices };
  return rows.map((row) => (isRow(row) ? decode(row, tables) : row));
}

function isRow(row: PlainOperation | Row): row is Row {
  return Array.isArray(row);
}

type Table<Value> = { readonly values: Value[]; indexOf(value: Value): number };

/** Numbers the different values of a batch. */
function openTable<Value>(): Table<Value> {
  const values: Value[] = [];
  const known = new Map<Value, number>();
  return {
    values,
    indexOf(value) {
      const found = known.get(value);
      if (found !== undefined) return found;
      known.set(value, values.length);
      return values.push(value) - 1;
    },
  };
}

function encode(
  operation: Operation,
  texts: Table<string>,
  prices: Table<LogPrice>,
): PlainOperation | Row {
  switch (operation.type) {
    case "reverse":
    case "settle": {
      const { type, id, tokenLimited, charge, log } = operation;
      const own = operation.type === "settle" ? operation.charged : operation.atMs;
      const charged = chargeValues(log, texts, prices);
      const values = logValues(log, texts);
      return operation.budget === undefined
        ? [type, id, tokenLimited, charge, own, values, charged]
        : [type, id, tokenLimited, charge, own, values, charged, operation.budget];
    }
    case "fail": {
      const { log } = operation;
      const { type, code, message } = log.error;
      return ["fail", log.status, type, code, message, log.fault, logValues(log, texts)];
    }
    case "budget":
    case "more":
    case "open":
    case "release":
    case "take":
      return operation;
  }
}

function logValues(log: CallLog, texts: Table<string>): LogValues {
  const values: (CallFact | null)[] = [];
  for (let at = 0; at < factNames.length; at += 1) {
    // Safe cast: the list has no other length.
    const value = log[factNames[at] as keyof CallLog];
    values.push(isShared[at] === true ? texts.indexOf(String(value)) : value);
  }
  for (const name of addedNames) values.push(log[name] ?? null);
  if (log.tags !== undefined) values.push(log.tags);
  return values;
}

function chargeValues(
  log: ChargedCallLog,
  texts: Table<string>,
  prices: Table<LogPrice>,
): ChargeValues {
  const values = [
    usageValues(log.usage),
    log.usageSource,
    log.priceVersion,
    prices.indexOf(log.price),
    texts.indexOf(log.interrupted),
    texts.indexOf(log.doubt),
    log.hiddenOutput,
    log.seenOutput,
    log.cost,
    log.costVersion,
    log.reportedCost,
  ] as const;
  const { given, task } = log;
  if (task === undefined && given === undefined) return values;
  return given === undefined ? [...values, task ?? null] : [...values, task ?? null, given];
}

function usageValues(usage: Usage): UsageValues {
  const { callThousandths = null, tier = null } = usage;
  const tokens = [
    usage.input,
    usage.cacheRead,
    usage.cacheWrite5m,
    usage.cacheWrite1h,
    usage.inputAudio,
    usage.inputImage,
    usage.output,
    usage.reasoning,
    usage.outputAudio,
    usage.outputImage,
  ] as const;
  const { cacheAudio = 0, cacheImage = 0, searches = 0, minute = -1 } = usage;
  if (cacheAudio + cacheImage + searches > 0 || minute >= 0) {
    return [...tokens, callThousandths, tier, cacheAudio, cacheImage, searches, minute];
  }
  // Nearly every call has neither.
  return callThousandths === null && tier === null ? tokens : [...tokens, callThousandths, tier];
}

type Tables = { readonly texts: readonly string[]; readonly prices: readonly LogPrice[] };

function decode(row: Row, tables: Tables): Operation {
  if (row[0] === "fail") {
    const [type, status, errorType, code, message, fault, values] = row;
    const error = { type: errorType, code, message };
    return { type, log: Object.assign(readLog(values, tables.texts), { status, error, fault }) };
  }
  const [type, id, tokenLimited, charge, own, values, charged, budget] = row;
  const log = Object.assign(readLog(values, tables.texts), readCharge(charged, tables));
  return type === "settle"
    ? { type, id, tokenLimited, charge, charged: own, log, budget }
    : { type, id, tokenLimited, charge, atMs: own ?? 0, log, budget };
}

function readLog(values: LogValues, texts: readonly string[]): CallLog {
  const log: Record<string, CallFact | null> = { ...blankFacts };
  for (const [at, name] of factNames.entries()) {
    const value = values[at] ?? null;
    log[name] = isShared[at] === true ? textAt(texts, Number(value)) : value;
  }
  for (const [at, name] of addedNames.entries()) {
    const value = values[factNames.length + at] ?? null;
    // The tags, in a record of before there was this name.
    if (Array.isArray(value)) break;
    if (value !== null) log[name] = value;
  }
  const last = values.length > factNames.length ? values.at(-1) : null;
  if (Array.isArray(last)) log["tags"] = last;
  // Safe cast: `logValues` has written each fact.
  return log as CallLog;
}

type OnlyCharged = Omit<ChargedCallLog, keyof CallLog>;

function readCharge(values: ChargeValues, { texts, prices }: Tables): OnlyCharged {
  const price = prices[values[3]];
  const begun = values[11] ?? undefined;
  const given = values[12];
  if (price === undefined) throw new Error("the batch lacks a price");
  return {
    usage: readUsage(values[0]),
    usageSource: values[1],
    priceVersion: values[2],
    price,
    interrupted: textAt(texts, values[4]),
    doubt: textAt(texts, values[5]),
    hiddenOutput: values[6],
    seenOutput: values[7],
    cost: values[8],
    costVersion: values[9],
    reportedCost: values[10],
    ...(begun === undefined ? {} : { task: begun }),
    ...(given === undefined ? {} : { given }),
  };
}

function readUsage(values: UsageValues): Usage {
  const callThousandths = values[10] ?? null;
  const tier = values[11] ?? null;
  const tokens = {
    input: values[0],
    cacheRead: values[1],
    cacheWrite5m: values[2],
    cacheWrite1h: values[3],
    inputAudio: values[4],
    inputImage: values[5],
    output: values[6],
    reasoning: values[7],
    outputAudio: values[8],
    outputImage: values[9],
  };
  if (values.length === 10) return tokens;
  const cacheAudio = values[12] ?? 0;
  const cacheImage = values[13] ?? 0;
  const searches = values[14] ?? 0;
  const minute = values[15] ?? -1;
  return {
    ...tokens,
    ...(callThousandths === null ? {} : { callThousandths }),
    ...(tier === null ? {} : { tier }),
    ...(cacheAudio === 0 ? {} : { cacheAudio }),
    ...(cacheImage === 0 ? {} : { cacheImage }),
    ...(searches === 0 ? {} : { searches }),
    ...(minute === -1 ? {} : { minute }),
  };
}

function textAt(texts: readonly string[], index: TextIndex): string {
  const text = texts[index];
  if (text === undefined) throw new Error("the batch lacks a text");
  return text;
}
