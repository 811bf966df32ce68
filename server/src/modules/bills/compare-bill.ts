/** Lays a bill beside the ledger: sums by day, model and key, and the calls that explain gaps. */

import {
  type BillFinding,
  type BillQuestion,
  type BillResult,
  type BillRow,
  billRowsMax,
  type BillSums,
} from "@tollgate/contract/endpoints/bills.ts";
import { scaled, unscaled } from "@tollgate/contract/money/decimals.ts";
import { one } from "@tollgate/contract/money/price-book.ts";
import { formsOf } from "#modules/pricing/pricing.ts";
import type { BilledChannel, LedgerCall } from "./bill-calls.repo.ts";
import { writeBillCsv } from "./bill-csv.ts";
import type { ReadBill } from "./bill-lines.ts";
import { dayNamer } from "./bill-times.ts";
import { type BilledCall, findingOf, matchCalls, type NamedLine } from "./match-calls.ts";

type Compared = {
  readonly bill: Extract<ReadBill, { readonly ok: true }>;
  readonly question: BillQuestion;
  readonly calls: readonly LedgerCall[];
  readonly channels: ReadonlyMap<number, BilledChannel>;
  /** The quota units of a US dollar. */
  readonly quotaPerUnit: string;
  /** What the bill is about, in Unix seconds; both inclusive. */
  readonly start: number;
  readonly end: number;
};

/** A call, with what only sums need. */
type Counted = BilledCall & { readonly cost: number | null; readonly isOwnCount: boolean };

/** Returns what a bill and the ledger say of the same time. */
export function compareBill(compared: Compared): BillResult {
  const { bill, question, start, end, quotaPerUnit } = compared;
  const { zone, places, kind } = question;
  const accounts = accountsOf(compared);
  const named = nameCalls(compared, accounts);
  const lines = nameLines(compared, named, accounts);
  const within = named.filter(({ began }) => began >= start && began <= end);
  const sums = sumUp(lines, within, dayNamer(zone));
  const rows = [...sums.values()].map((sum) => showRow(sum, places, quotaPerUnit));
  const findings = bill.isByCall
    ? matchCalls(lines, named, question.tolerance).filter(
        ({ kind: of, at }) => of !== "missing-there" || (at >= start && at <= end),
      )
    : explainSums(sums);
  const all = [...sums.values()].reduce(added, emptySum("", "", ""));
  const total = showRow(all, places, quotaPerUnit);
  const sorted = rows.toSorted((a, b) => gapOf(b) - gapOf(a) || (keyOf(a) < keyOf(b) ? -1 : 1));
  return {
    kind,
    zone,
    places,
    by_call: bill.isByCall,
    start,
    end,
    lines: bill.lines.length,
    calls: within.length,
    bill: total.bill,
    here: total.here,
    rows: sorted.slice(0, billRowsMax),
    rows_total: sorted.length,
    findings: findings.slice(0, billRowsMax),
    findings_total: findings.length,
    faults: [...bill.faults],
    faults_total: bill.faultCount,
    csv: writeBillCsv(sorted, findings),
  };
}

/** What is compared as one: by the keys of the bill and by the channels here. */
type Accounts = {
  readonly ofKey: ReadonlyMap<string, string>;
  readonly ofChannel: ReadonlyMap<number, string>;
};

/**
 * Finds what is compared as one. A row does not say with which of its channel's keys the call was
 * made, so all keys of a channel are one, and its name is all of theirs.
 */
function accountsOf(compared: Compared): Accounts {
  const channels = channelsOf(compared);
  const keys = new Map<number, string[]>();
  for (const [key, channel] of channels) keys.set(channel, [...(keys.get(channel) ?? []), key]);
  const ofChannel = new Map(
    [...keys].map(([channel, names]) => [channel, names.toSorted().join(" + ")]),
  );
  const ofKey = new Map(
    [...channels].map(([key, channel]) => [key, ofChannel.get(channel) ?? key]),
  );
  return { ofKey, ofChannel };
}

/** The channel of each key of the bill: what was said, and channels of the same name. */
function channelsOf({ bill, question, channels }: Compared): ReadonlyMap<string, number> {
  const byName = new Map([...channels.values()].map(({ id, name }) => [name.toLowerCase(), id]));
  const accounts = new Map<string, number>();
  for (const key of new Set(bill.lines.map((line) => line.key))) {
    const said = Object.hasOwn(question.keys, key) ? question.keys[key] : undefined;
    const channel = said ?? byName.get(key.toLowerCase());
    if (key !== "" && channel !== undefined) accounts.set(key, channel);
  }
  return accounts;
}

function nameCalls({ calls, channels }: Compared, accounts: Accounts): Counted[] {
  return calls.map((call) => ({
    began: call.created_at - call.use_time,
    ended: call.created_at,
    name: channels.get(call.channel)?.nameOf(call.model_name) ?? call.model_name,
    account: accounts.ofChannel.get(call.channel) ?? "",
    requestId: call.request_id,
    upstreamId: call.upstream_request_id,
    input: call.prompt_tokens,
    output: call.completion_tokens,
    cost: call.cost,
    isOwnCount: !call.usage_source.startsWith("upstream"),
  }));
}

/** Gives lines the names that calls have here, where one of the forms of a model's name fits. */
function nameLines({ bill }: Compared, calls: readonly Counted[], accounts: Accounts): NamedLine[] {
  const names = new Set(calls.map(({ name }) => name));
  const whole = new Map([...names].map((name) => [name.toLowerCase(), name]));
  const forms = new Map([...names].flatMap((name) => formsOf(name).map((form) => [form, name])));
  const known = new Map<string, string>();
  const nameOf = (model: string): string => {
    const found = known.get(model);
    if (found !== undefined) return found;
    const own = formsOf(model);
    const first = own.find((form) => whole.has(form));
    const alike = own.find((form) => forms.has(form));
    const name = whole.get(first ?? "") ?? forms.get(alike ?? "") ?? model;
    known.set(model, name);
    return name;
  };
  return bill.lines.map((line) => ({
    ...line,
    name: nameOf(line.model),
    // Without a channel for any key, keys are not compared.
    account: accounts.ofKey.size === 0 ? "" : (accounts.ofKey.get(line.key) ?? line.key),
  }));
}

type Side = {
  calls: number | null;
  input: number;
  output: number;
  /** US dollars × 10^12, or quota units here; null: unknown. */
  money: bigint | null;
};

type Sum = {
  readonly day: string;
  readonly model: string;
  readonly key: string;
  readonly bill: Side;
  readonly here: Side;
  /** The calls of the row. */
  readonly its: Counted[];
};

function emptySum(day: string, model: string, key: string): Sum {
  const side = (): Side => ({ calls: 0, input: 0, output: 0, money: 0n });
  return { day, model, key, bill: side(), here: side(), its: [] };
}

function sumUp(
  lines: readonly NamedLine[],
  calls: readonly Counted[],
  dayOf: (at: number) => string,
): ReadonlyMap<string, Sum> {
  const sums = new Map<string, Sum>();
  const sumOf = (day: string, model: string, key: string): Sum => {
    const name = `${day}\n${model}\n${key}`;
    const found = sums.get(name) ?? emptySum(day, model, key);
    sums.set(name, found);
    return found;
  };
  for (const { at, name, account, input, output, calls: count, amount } of lines) {
    add(sumOf(dayOf(at), name, account).bill, { calls: count, input, output, money: amount });
  }
  for (const call of calls) {
    const sum = sumOf(dayOf(call.began), call.name, call.account);
    const money = call.cost === null ? null : BigInt(call.cost);
    add(sum.here, { calls: 1, input: call.input, output: call.output, money });
    sum.its.push(call);
  }
  return sums;
}

function add(to: Side, more: Readonly<Side>): void {
  to.calls = to.calls === null || more.calls === null ? null : to.calls + more.calls;
  to.input += more.input;
  to.output += more.output;
  to.money = to.money === null || more.money === null ? null : to.money + more.money;
}

function added(all: Sum, sum: Sum): Sum {
  add(all.bill, sum.bill);
  add(all.here, sum.here);
  return all;
}

function showRow({ day, model, key, bill, here }: Sum, places: number, units: string): BillRow {
  const inDollars = here.money === null ? null : (here.money * one * one) / scaled(units);
  return {
    day,
    model,
    key_name: key,
    bill: showSide(bill, bill.money, places),
    here: showSide(here, inDollars, places),
  };
}

/** @param money US dollars × 10^12. */
function showSide({ calls, input, output }: Side, money: bigint | null, places: number): BillSums {
  return { calls, input, output, dollars: money === null ? null : roundedTo(money, places) };
}

/** The places that amounts are computed with. */
const placesOfUnits = 12;

/** Rounds half up to some places. */
function roundedTo(money: bigint, places: number): string {
  const unit = 10n ** BigInt(placesOfUnits - places);
  return unscaled(((2n * money + unit) / (2n * unit)) * unit);
}

/** By how many tokens a row differs, or calls where its tokens do not. */
function gapOf({ bill, here }: BillRow): number {
  const tokens = Math.abs(bill.input - here.input) + Math.abs(bill.output - here.output);
  const calls = bill.calls === null || here.calls === null ? 0 : bill.calls - here.calls;
  return tokens + Math.abs(calls);
}

function keyOf({ day, model, key_name }: BillRow): string {
  return `${day}\n${model}\n${key_name}`;
}

/**
 * Explains gaps of a bill that has only sums: by the one call whose counts are the gap, and by calls
 * that the gateway counted itself.
 */
function explainSums(sums: ReadonlyMap<string, Sum>): BillFinding[] {
  const findings: BillFinding[] = [];
  for (const { bill, here, its } of sums.values()) {
    const [input, output] = [here.input - bill.input, here.output - bill.output];
    if (input === 0 && output === 0) continue;
    const same = its.filter((call) => call.input === input && call.output === output);
    const [missing] = same;
    if (missing !== undefined && same.length === 1) {
      findings.push(findingOf("missing-there", null, missing));
      continue;
    }
    for (const call of its) {
      if (call.isOwnCount) findings.push(findingOf("own-count", null, call));
    }
  }
  return findings;
}
