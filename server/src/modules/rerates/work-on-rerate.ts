/**
 * Goes on with the re-rate that goes on, step by step, at a pace that leaves most of the time to
 * calls: the work of a job. A node that dies loses nothing, because each step is one transaction.
 */

import type { TriedPrices } from "@tollgate/contract/endpoints/price-previews.ts";
import type { Money } from "#modules/ledger/ledger.ts";
import type { RerateStep } from "./rerate-steps.repo.ts";
import type { RerateRow } from "./rerates.ts";
import type { RerateStore } from "./rerates.store.ts";

/** The plan of a re-rate as the preview of prices has one. */
type Plan = {
  readonly name: string;
  readonly tried: { readonly kind: "changes"; readonly prices: TriedPrices };
  readonly by: number;
  readonly nowMs: number;
  readonly start: number;
  readonly end: number;
  readonly last: number;
  readonly version: number;
};

type Planned = Omit<RerateStep, "id" | "place">;

/** Plans the next charges of a re-rate; nothing is written. */
export type PlanCharges = (asked: {
  readonly plan: Plan;
  readonly after: RerateStep["place"] | null;
  readonly limit: number;
}) => Promise<Planned>;

type WorkDeps = {
  readonly store: Pick<
    RerateStore,
    "claimRerate" | "hasOpenRerate" | "planUndo" | "stepRerate" | "tellRerate"
  >;
  readonly planCharges: PlanCharges;
  readonly money: Pick<Money, "rechargeUsers">;
  /** Names this process among those that share the database. */
  readonly node: string;
  /** How many log rows one step looks at. */
  readonly rows: number;
  /** Unix milliseconds. */
  readonly now: () => number;
  /** Milliseconds of a monotonic clock. */
  readonly elapsed: () => number;
  readonly wait: (ms: number) => Promise<void>;
};

/** After a step this many times its length is left to calls, at least `pauseMs`. */
const pauseShare = 2;
const pauseMs = 10;

/** How long one run goes on, so that a server that stops waits no longer. */
const runMs = 2_000;

/** Returns one run of the job. */
export function openRerateWork(deps: WorkDeps): () => Promise<void> {
  const { store, node, now, elapsed, wait } = deps;
  return async () => {
    if (!(await store.hasOpenRerate())) return;
    const end = elapsed() + runMs;
    while (elapsed() < end) {
      const row = await store.claimRerate(node, now());
      if (row === undefined) return;
      const began = elapsed();
      if (row.state === "charging") await step(deps, row);
      else await store.tellRerate(row.id, now());
      await wait(Math.max(pauseMs, pauseShare * (elapsed() - began)));
    }
  };
}

async function step(deps: WorkDeps, row: RerateRow): Promise<void> {
  const { store, money, now } = deps;
  const place = { createdAt: row.at_time, id: row.at_id };
  const planned = await planNext(deps, row, place);
  const wanted = new Map<number, number>();
  for (const { userId, before, after } of planned.charges) {
    wanted.set(userId, (wanted.get(userId) ?? 0) + Math.max(0, after - before));
  }
  const next = { id: row.id, place, ...planned };
  await money.rechargeUsers(wanted, async (most) => await store.stepRerate(next, most, now()));
}

async function planNext(
  { store, planCharges, rows: limit }: WorkDeps,
  row: RerateRow,
  place: RerateStep["place"],
): Promise<Planned> {
  if (row.undoes !== 0) return await store.planUndo(row, place);
  return await planCharges({ plan: planOf(row), after: place, limit });
}

function planOf(row: RerateRow): Plan {
  const prices = { changes: {}, books: [], options: {}, version: row.version };
  return {
    // Not its id, which a database that has gone back gives again.
    name: `rerate ${row.preview}`,
    tried: { kind: "changes", prices },
    by: row.created_by,
    nowMs: row.as_of * 1_000,
    start: row.starts_at,
    end: row.ends_at,
    last: row.last_log,
    version: row.version,
  };
}
