/**
 * Finds for each line of a bill the call that it is about: by the upstream's id, else by model, key,
 * counts and time. What is left over explains the gap.
 */

import type { BillFinding } from "@tollgate/contract/endpoints/bills.ts";
import type { BillLine } from "./bill-lines.ts";

/** A line under the names that calls have here. */
export type NamedLine = BillLine & { readonly name: string; readonly account: string };

/** A call of the ledger. */
export type BilledCall = {
  /** When it began and ended, in Unix seconds. */
  readonly began: number;
  readonly ended: number;
  readonly name: string;
  readonly account: string;
  readonly requestId: string;
  /** Empty: the upstream told none. */
  readonly upstreamId: string;
  readonly input: number;
  readonly output: number;
};

type Pair = readonly [line: NamedLine, call: BilledCall];

/** Returns lines without a call, calls without a line, and pairs whose counts differ. */
export function matchCalls(
  lines: readonly NamedLine[],
  calls: readonly BilledCall[],
  tolerance: number,
): BillFinding[] {
  const byId = pairById(lines, calls);
  const hasIds = byId.pairs.length > 0;
  // Where ids fit, a line with another id is about another call than those whose id is known.
  const open = byId.lines.filter(({ id }) => !hasIds || id === "");
  const apart = byId.lines.filter(({ id }) => hasIds && id !== "");
  const unknown = byId.calls.filter(({ upstreamId }) => !hasIds || upstreamId === "");
  const known = byId.calls.filter(({ upstreamId }) => hasIds && upstreamId !== "");
  const sameCounts = pairBy([...open, ...apart], unknown, exactly, tolerance);
  const close = pairBy(sameCounts.lines, sameCounts.calls, nearly, tolerance);
  const differing = [...byId.pairs, ...close.pairs].filter(([line, call]) => {
    return line.input !== call.input || line.output !== call.output;
  });
  const findings = [
    ...differing.map(([line, call]) => findingOf("other-counts", line, call)),
    ...close.lines.map((line) => findingOf("missing-here", line, null)),
    ...[...close.calls, ...known].map((call) => findingOf("missing-there", null, call)),
  ];
  return findings.toSorted((a, b) => a.at - b.at || a.line - b.line);
}

function pairById(lines: readonly NamedLine[], calls: readonly BilledCall[]) {
  const known = new Map<string, BilledCall>();
  for (const call of calls) {
    known.set(call.requestId, call);
    if (call.upstreamId !== "") known.set(call.upstreamId, call);
  }
  const pairs: Pair[] = [];
  const left: NamedLine[] = [];
  const used = new Set<BilledCall>();
  for (const line of lines) {
    const call = line.id === "" ? undefined : known.get(line.id);
    if (call === undefined || used.has(call)) {
      left.push(line);
      continue;
    }
    used.add(call);
    pairs.push([line, call]);
  }
  return { pairs, lines: left, calls: calls.filter((call) => !used.has(call)) };
}

/** What a line and a call must have in common. A line and a call may have several such keys. */
type Alike = (of: BilledCall | NamedLine) => readonly string[];

const exactly: Alike = ({ name, account, input, output }) => [
  `${name}\n${account}\n${input}\n${output}`,
];

/** One of the two counts is the same: a wrong line seldom has both wrong. */
const nearly: Alike = ({ name, account, input, output }) => [
  `${name}\n${account}\ni${input}`,
  `${name}\n${account}\no${output}`,
];

/** Pairs each line, in the order of time, with the earliest call that is alike and of its time. */
function pairBy(
  lines: readonly NamedLine[],
  calls: readonly BilledCall[],
  alike: Alike,
  tolerance: number,
) {
  const waiting = new Map<string, BilledCall[]>();
  for (const call of calls.toSorted((a, b) => a.ended - b.ended)) {
    for (const key of alike(call)) {
      const same = waiting.get(key);
      if (same === undefined) waiting.set(key, [call]);
      else same.push(call);
    }
  }
  /** How many of the calls of a key are used or over for all lines to come. */
  const over = new Map<string, number>();
  const used = new Set<BilledCall>();
  const pairs: Pair[] = [];
  const left: NamedLine[] = [];
  const take = (line: NamedLine): BilledCall | undefined => {
    for (const key of alike(line)) {
      const same = waiting.get(key) ?? [];
      let at = over.get(key) ?? 0;
      for (; at < same.length; at += 1) {
        const call = same[at];
        if (call === undefined || used.has(call)) continue;
        if (call.ended + tolerance >= line.at) break;
      }
      over.set(key, at);
      const call = same[at];
      if (call !== undefined && call.began - tolerance <= line.at) return call;
    }
    return undefined;
  };
  for (const line of lines.toSorted((a, b) => a.at - b.at)) {
    const call = take(line);
    if (call === undefined) left.push(line);
    else {
      used.add(call);
      pairs.push([line, call]);
    }
  }
  return { pairs, lines: left, calls: calls.filter((call) => !used.has(call)) };
}

/** Makes a finding of a line, a call, or both. */
export function findingOf(
  kind: BillFinding["kind"],
  line: BillLine | null,
  call: BilledCall | null,
): BillFinding {
  return {
    kind,
    line: line?.line ?? 0,
    at: line?.at ?? call?.began ?? 0,
    model: call?.name ?? line?.model ?? "",
    key_name: line?.key ?? call?.account ?? "",
    request_id: call?.requestId ?? "",
    bill: line === null ? null : { input: line.input, output: line.output },
    here: call === null ? null : { input: call.input, output: call.output },
  };
}
