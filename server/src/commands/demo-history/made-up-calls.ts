/**
 * Thirty days of calls that nobody has made, for a demo to look around in: six people with habits of
 * their own, by a seed, so that every demo shows the same. Pure functions.
 */

import { noUsage } from "@tollgate/contract/money/charge.ts";
import type { Usage } from "#canonical/usage.ts";

/** A key of a made-up person, and what it is used for. */
type Habit = {
  readonly key: string;
  /** Models by how often they are asked, and the shape of a call. */
  readonly models: readonly (readonly [model: string, weight: number])[];
  /** Calls on a working day, and on a day of a weekend. */
  readonly calls: readonly [workday: number, weekend: number];
  /** The hours of the day in which it is used, in UTC, from and up to. */
  readonly hours: readonly [from: number, to: number];
  /** Typical tokens of a prompt and of an answer. */
  readonly tokens: readonly [input: number, output: number];
  /** Whether its calls are the turns of an agent, whose prompts grow and are read from a cache. */
  readonly isAgent: boolean;
};

type Person = {
  readonly username: string;
  readonly displayName: string;
  readonly habits: readonly Habit[];
};

const chatty = [
  ["demo-chat", 5],
  ["demo-fast", 4],
  ["demo-think", 1],
] as const;
const coding = [
  ["demo-messages", 6],
  ["demo-responses", 3],
  ["demo-think", 1],
] as const;
const mixed = [
  ["demo-gemini", 3],
  ["demo-chat", 3],
  ["demo-responses", 2],
] as const;

/** The tool of the agents, and the key whose calls have a tag. */
export const agentTool = "run_command";
export const batchKey = "batch-nightly";

/** The people, whose names say that there is nobody behind them. */
export const people: readonly Person[] = [
  person("ada", "Ada", [
    habit("editor", coding, [34, 4], [7, 17], [9_000, 700], true),
    habit("notebook", chatty, [9, 2], [8, 20], [900, 350], false),
  ]),
  person("bo", "Bo", [habit("support-bot", chatty, [38, 22], [6, 22], [1_400, 260], false)]),
  person("chen", "Chen", [
    habit("agent", coding, [22, 9], [1, 12], [14_000, 900], true),
    habit(batchKey, mixed, [18, 18], [1, 4], [5_200, 420], false),
  ]),
  person("dina", "Dina", [habit("drafts", mixed, [10, 3], [9, 19], [1_900, 900], false)]),
  person("eli", "Eli", [habit("search", [["demo-fast", 1]], [26, 12], [0, 24], [600, 120], false)]),
  person("fay", "Fay", [habit("trial", chatty, [3, 1], [12, 16], [500, 300], false)]),
];

function person(name: string, display: string, habits: readonly Habit[]): Person {
  return { username: `demo-${name}`, displayName: `${display} (made up)`, habits };
}

function habit(
  key: string,
  models: Habit["models"],
  calls: Habit["calls"],
  hours: Habit["hours"],
  tokens: Habit["tokens"],
  isAgent: boolean,
): Habit {
  return { key, models, calls, hours, tokens, isAgent };
}

export type MadeUpCall = {
  readonly id: string;
  readonly person: number;
  readonly habit: number;
  readonly model: string;
  /** When it ended, in Unix seconds. */
  readonly at: number;
  readonly seconds: number;
  readonly firstByteMs: number;
  readonly usage: Usage;
  /** 0: it belongs to no conversation. */
  readonly conversation: number;
  /** Whether it brings the result of the tool that agents call. */
  readonly usesTool: boolean;
  /** Why it was not answered; null: it was. */
  readonly fault: Fault | null;
};

export type Fault = "http-429" | "http-502" | "timeout";

const days = 30;
const daySeconds = 86_400;
const hourSeconds = 3_600;

/** The share of calls that fail, and that of one model's today, so that there is something to find. */
const faultShare = 0.015;
const troubled = { model: "demo-gemini", share: 0.35 };

/** So many days ago the agents began to keep their prompts as they were, and caches to be read. */
const cachedSince = 12;

/** One run of an agent goes round in circles: so many calls at once. */
const loop = { person: 2, habit: 0, day: 3, turns: 24 };

/** Makes the calls of the thirty days before a moment, oldest first. */
export function madeUpCalls(nowSeconds: number): readonly MadeUpCall[] {
  const random = seeded(42);
  const calls: MadeUpCall[] = [];
  const start = nowSeconds - (nowSeconds % daySeconds) - (days - 1) * daySeconds;
  for (let day = 0; day < days; day += 1) {
    const midnight = start + day * daySeconds;
    const ago = days - 1 - day;
    for (const [at, { habits }] of people.entries()) {
      for (const [which, one] of habits.entries()) {
        const place = { person: at, habit: which, midnight, ago };
        calls.push(...callsOfDay(one, place, random));
      }
    }
  }
  return calls
    .filter(({ at }) => at < nowSeconds - hourSeconds / 60)
    .toSorted((a, b) => a.at - b.at)
    .map((call, number) => ({ ...call, id: `demo-${String(number).padStart(6, "0")}` }));
}

type Place = {
  readonly person: number;
  readonly habit: number;
  /** Unix seconds at which the day begins. */
  readonly midnight: number;
  /** How many days ago it was; 0: today. */
  readonly ago: number;
};

function callsOfDay(one: Habit, place: Place, random: () => number): MadeUpCall[] {
  const weekday = new Date(place.midnight * 1_000).getUTCDay();
  const typical = one.calls[weekday === 0 || weekday === 6 ? 1 : 0];
  const { person: at, habit: which } = place;
  const loops = at === loop.person && which === loop.habit && place.ago === loop.day;
  let left = Math.round(typical * (0.6 + 0.8 * random()));
  const calls: MadeUpCall[] = [];
  while (left > 0) {
    const turns = one.isAgent ? Math.min(left, 3 + Math.floor(random() * 8)) : 1;
    calls.push(...run(one, place, turns, random));
    left -= turns;
  }
  return loops ? [...calls, ...run(one, place, loop.turns, random)] : calls;
}

/** Makes one call, or the turns of one run of an agent. */
function run(one: Habit, place: Place, turns: number, random: () => number): MadeUpCall[] {
  const [from, to] = one.hours;
  const model = pick(one.models, random());
  // The middle of a working day is busier than its ends.
  const hour = from + ((random() + random()) / 2) * (to - from);
  const conversation = one.isAgent ? 1 + Math.floor(random() * Number.MAX_SAFE_INTEGER) : 0;
  let at = Math.floor(place.midnight + hour * hourSeconds);
  const calls: MadeUpCall[] = [];
  for (let turn = 0; turn < turns; turn += 1) {
    const usage = usageOf(one, { turn, ago: place.ago }, random);
    const seconds = Math.max(1, Math.round(usage.output / (40 + 50 * random())));
    at += seconds + Math.round(4 + 20 * random());
    calls.push({
      id: "",
      person: place.person,
      habit: place.habit,
      model,
      at,
      seconds,
      firstByteMs: Math.round(180 + 900 * random() ** 3 + usage.input / 40),
      usage,
      conversation,
      usesTool: turn > 0,
      fault: faultOf(model, place.ago, random),
    });
  }
  return calls;
}

function usageOf(
  { tokens: [input, output], isAgent }: Habit,
  { turn, ago }: { readonly turn: number; readonly ago: number },
  random: () => number,
): Usage {
  const spread = (typical: number): number =>
    Math.max(8, Math.round(typical * Math.exp((random() + random() + random() - 1.5) * 1.1)));
  if (!isAgent) return { ...noUsage, input: spread(input), output: spread(output) };
  const prompt = spread(input) + turn * 1_800;
  const share = turn === 0 ? 0 : ago < cachedSince ? 0.82 : 0.3;
  const cacheRead = Math.round(prompt * share);
  return { ...noUsage, input: prompt - cacheRead, cacheRead, output: spread(output) };
}

function faultOf(model: string, ago: number, random: () => number): Fault | null {
  const share = ago === 0 && model === troubled.model ? troubled.share : faultShare;
  if (random() >= share) return null;
  return (["http-502", "http-429", "timeout"] as const)[Math.floor(random() * 3)] ?? "timeout";
}

function pick(models: Habit["models"], at: number): string {
  const total = models.reduce((sum, [, weight]) => sum + weight, 0);
  let left = at * total;
  for (const [model, weight] of models) {
    left -= weight;
    if (left < 0) return model;
  }
  return models[0]?.[0] ?? "";
}

/** Returns a generator of numbers from 0 to below 1, the same for each seed (mulberry32). */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b_79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
