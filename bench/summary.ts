/** Reduces many samples to the figures of the report: medians over rounds, ratios within a round. */

import { median } from "./statistics.ts";
import type { CaseResult, ContenderName, Result, Sample, LogResult } from "./result.ts";

export type Spread = { readonly middle: number; readonly least: number; readonly most: number };

type Summary = {
  readonly contender: ContenderName;
  readonly cpuMicros: Spread | null;
  /** CPU time per call, divided by nginx's in the same round. */
  readonly ratio: Spread | null;
  readonly callsPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
};

const contenderNames: readonly ContenderName[] = ["direct", "nginx", "tollgate"];

export function summarise(one: CaseResult): Summary[] {
  return contenderNames.flatMap((contender) => {
    const samples = one.rounds.flatMap((round) => round[contender] ?? []);
    if (samples.length === 0) return [];
    const middle = (read: (sample: Sample) => number): number => median(samples.map(read));
    return {
      contender,
      cpuMicros: spreadOf(samples.flatMap(({ cpuMicros }) => cpuMicros ?? [])),
      ratio: spreadOf(one.rounds.flatMap((round) => ratioOf(round[contender], round.nginx) ?? [])),
      callsPerSecond: middle((sample) => sample.callsPerSecond),
      p50Ms: middle((sample) => sample.latency.p50Ms),
      p99Ms: middle((sample) => sample.latency.p99Ms),
    };
  });
}

function ratioOf(sample: Sample | undefined, nginx: Sample | undefined): number | undefined {
  const ours = sample?.cpuMicros ?? null;
  const theirs = nginx?.cpuMicros ?? null;
  return ours === null || theirs === null || theirs === 0 ? undefined : ours / theirs;
}

function spreadOf(values: readonly number[]): Spread | null {
  if (values.length === 0) return null;
  return { middle: median(values), least: Math.min(...values), most: Math.max(...values) };
}

/** Returns the cores that other programs used, as the median over all samples. */
export function otherCoresOf(results: readonly CaseResult[]): number {
  const all = results.flatMap(({ rounds }) =>
    rounds.flatMap((round) => Object.values(round).map(({ otherCores }) => otherCores)),
  );
  return median(all);
}

/** A limit that the product must not exceed on any machine, so most limits are ratios. */
export type Target = {
  readonly what: string;
  readonly most: number;
  readonly unit: "MiB" | "ms" | "×" | "× nginx";
  /** The measured value, to be compared with the limit; null: not measured in this run. */
  readonly measured: number | null;
};

/**
 * A limit that the product must meet. Most limits are ratios, because they must hold on any
 * machine.
 */
const ratioTargets = [
  { name: "small-64", what: "CPU a call, small body, 64 at once", most: 3.5 },
  { name: "paced-64", what: "CPU a stream, 50 events 2 ms apart, billed", most: 1.7 },
  { name: "translated-64", what: "CPU a stream, the same, translated from Messages", most: 2.6 },
  { name: "large-first", what: "CPU a call, 200 KB body", most: 2.9 },
] as const;
const rssMaxMiB = 150;
/** Number of calls after which the memory target must be met. */
const callsOfTarget = 200_000;

export function ratioTargetOf(name: string): number | null {
  return ratioTargets.find((target) => target.name === name)?.most ?? null;
}

const stallMaxMs = 5;
const readingMax = 1.5;
/** The longest a read of a long log may take, in milliseconds. */
const readMaxMs = 300;

function ours(results: readonly CaseResult[], name: string): Summary | undefined {
  const found = results.find((one) => one.name === name);
  return found && summarise(found).find(({ contender }) => contender === "tollgate");
}

/** A stream whose events come at once costs little more than a small call, however many they are. */
function burstTarget(results: readonly CaseResult[]): Target {
  const small = ours(results, "small-64")?.cpuMicros?.middle;
  const burst = ours(results, "burst-64")?.cpuMicros?.middle;
  const measured = small === undefined || burst === undefined ? null : burst / small;
  return {
    what: "CPU a stream, 50 events at once, ÷ a small call",
    most: 1.5,
    unit: "×",
    measured,
  };
}

/**
 * The dashboard of all users is measured, but has no target: it ranks every token that called, of
 * which this log has as many as it can.
 */
export const dashboardRead = "dashboard, 30 days";

/** What must hold of a long log: how slow a read may be, and how much reads may slow down calls. */
export function logTargetsOf({ reads, reading, quiet, cleaning }: LogResult): Target[] {
  const slowest = reads
    .filter(({ what }) => what !== dashboardRead)
    .reduce((a, b) => (b.p99Ms > a.p99Ms ? b : a));
  return [
    {
      what: `Slowest read, 99th percentile (${slowest.what})`,
      most: readMaxMs,
      unit: "ms",
      measured: slowest.p99Ms,
    },
    {
      what: "A call's p50 while the log is read",
      most: readingMax,
      unit: "×",
      measured: reading.p50Ms / quiet.p50Ms,
    },
    {
      what: "A call's p50 while old rows are removed",
      most: readingMax,
      unit: "×",
      measured: cleaning.calls.p50Ms / quiet.p50Ms,
    },
  ];
}

export function targetsOf({ cases: results, memory, stall }: Result): Target[] {
  const ratios = ratioTargets.map(({ name, what, most }): Target => {
    const measured = ours(results, name)?.ratio?.middle ?? null;
    return { what, most, unit: "× nginx", measured };
  });
  const what = `RSS after ${(memory?.calls ?? callsOfTarget).toLocaleString("en")} calls`;
  return [
    ...ratios,
    burstTarget(results),
    { what, most: rssMaxMiB, unit: "MiB", measured: memory?.afterMiB ?? null },
    {
      what: "Stall of the event loop while calls are charged, p99.9, less nginx's",
      most: stallMaxMs,
      unit: "ms",
      measured:
        stall === null ? null : Math.max(0, stall.busy.p999Ms - (stall.control?.p999Ms ?? 0)),
    },
  ];
}
