/**
 * What a node does when the database shows less than it has acknowledged: a standby was promoted
 * that had not everything, or a backup was restored. The node takes no calls meanwhile. It begins a
 * new epoch, reads the whole configuration again, releases the holds of calls that have ended,
 * writes charges again that are missing, and tells root what is lost.
 */

import type { Gauge } from "#base/gauge.ts";
import type { Logger } from "#base/logger.ts";
import { StoreUnavailable } from "#db/store-unavailable.ts";
import { encodeBatch } from "#modules/ledger/batch-text.ts";
import { applyEnded } from "#modules/ledger/journal/recover.ts";
import type { LedgerStore } from "#modules/ledger/ledger.store.ts";
import type { Membership } from "#modules/ledger/membership.ts";
import type { AcknowledgedCharge, ChargeRing } from "./charge-ring.ts";
import { addSums, type LossReport, noLoss, sumsOf } from "./report.ts";
import type { LostCharge } from "./restore.ts";
import { nameOf, type WriteRing } from "./write-ring.ts";

type ComeBackDeps = {
  readonly nodeId: string;
  readonly store: Pick<
    LedgerStore,
    "applyEnded" | "chargeAgain" | "findLostWrites" | "releaseUnowned" | "storeReport"
  >;
  readonly membership: () => Pick<Membership, "caughtUp" | "epoch" | "renew">;
  readonly charges: ChargeRing;
  readonly writes: WriteRing;
  /** Returns the ids of all calls that run, and of those whose end the database does not know. */
  readonly ownedIds: () => readonly string[];
  /** Reads the whole configuration again. */
  readonly reload: () => Promise<void>;
  /** Tells root what is lost. Does not throw. */
  readonly tell: (report: LossReport) => Promise<void>;
  /** Unix milliseconds. */
  readonly now: () => number;
  readonly wait: (ms: number) => Promise<void>;
  readonly log: Logger;
};

type ComeBack = {
  /** Called each time that the database shows less than it has acknowledged. */
  readonly begin: () => void;
  readonly gauges: readonly Gauge[];
};

/** Pause before what failed is tried again, in milliseconds. */
const retryMs = 500;

/** How many charges are compared in one transaction. */
const chunkSize = 100;

/** How many names one line of the log has. */
const namesMax = 50;

export function openComeBack(deps: ComeBackDeps): ComeBack {
  const { membership, log, writes } = deps;
  let sums = noLoss;
  let times = 0;
  /** How often it was noticed; what is noticed while a run lasts makes another one necessary. */
  let notices = 0;
  let isRunning = false;
  /** Charges that cannot be written again and are told already. */
  const told = new Set<string>();

  async function run(): Promise<void> {
    isRunning = true;
    times += 1;
    log.warn(
      "the database shows less than it has acknowledged: no calls are taken until that is dealt with",
    );
    const missing = new Map<string, LostCharge>();
    for (let done = -1; done !== notices;) {
      const noticed = notices;
      try {
        await comeBack(deps, missing);
        await report({
          charges: [...missing.values()].filter(
            ({ requestId, again }) => again > 0 || !told.has(requestId),
          ),
          writes: await deps.store.findLostWrites(writes.list()),
        });
        missing.clear();
        done = noticed;
      } catch (error) {
        log.warn(
          { error: String(error) },
          "the database that went back could not be dealt with yet",
        );
        await deps.wait(retryMs);
      }
    }
    isRunning = false;
    membership().caughtUp();
    log.warn("calls are taken again");
  }

  async function report(found: LossReport): Promise<void> {
    if (found.charges.length + found.writes.length === 0) return;
    const lost = sumsOf(found);
    try {
      await deps.store.storeReport(deps.nodeId, found, deps.now());
    } catch (error) {
      if (error instanceof StoreUnavailable) throw error;
      // The money is as it should be, so calls are taken all the same; the log tells.
      log.error({ err: error }, "what the database had lost could not be stored");
    }
    for (const { requestId, again } of found.charges) if (again === 0) told.add(requestId);
    writes.forget(found.writes);
    sums = addSums(sums, lost);
    log.error({ ...lost, ...namesOf(found) }, "the database went back and had lost this");
    void deps.tell(found);
  }

  return {
    begin() {
      notices += 1;
      if (!isRunning) void run();
    },
    gauges: gaugesOf(() => ({ times, ...sums })),
  };
}

type Figures = typeof noLoss & { readonly times: number };

function gaugesOf(read: () => Figures): Gauge[] {
  return [
    {
      name: "tollgate_database_went_back",
      help: "How often the database showed less than it had acknowledged, since the start.",
      read: () => read().times,
    },
    {
      name: "tollgate_charged_again_units",
      help: "Quota units charged again because the database had lost them, since the start.",
      read: () => read().chargedAgain,
    },
    {
      name: "tollgate_written_off_lost_units",
      help: "Quota units that the database had lost and that nobody is charged for, since the start.",
      read: () => read().writtenOff,
    },
    {
      name: "tollgate_console_writes_lost",
      help: "Confirmed writes of the console that the database had lost, since the start.",
      read: () => read().writes,
    },
  ];
}

/** @param missing is given the charges that the database lacked. */
async function comeBack(deps: ComeBackDeps, missing: Map<string, LostCharge>): Promise<void> {
  const { membership, charges } = deps;
  await membership().renew();
  await deps.reload();
  // What the database still has in its journal is not lost.
  while (await applyEnded(deps.store, deps.nodeId));
  // First what no charge names, because it makes quota free.
  await releaseUnowned(deps, () => charges.list().map(({ operation }) => operation.id));
  const acknowledged = charges.list();
  for (let from = 0; from < acknowledged.length; from += chunkSize) {
    for (const lost of await chargeChunk(deps, acknowledged.slice(from, from + chunkSize))) {
      missing.set(lost.requestId, lost);
    }
  }
  await releaseUnowned(deps, () => []);
}

async function releaseUnowned(deps: ComeBackDeps, others: () => readonly string[]): Promise<void> {
  for (;;) {
    // At the beginning of a round of the event loop nothing is under way between the answer of the
    // database and the place where it is noted.
    await new Promise((resolve) => void setImmediate(resolve));
    const kept = [...deps.ownedIds(), ...others()];
    if ((await deps.store.releaseUnowned(deps.nodeId, kept)) === 0) return;
  }
}

async function chargeChunk(
  deps: ComeBackDeps,
  chunk: readonly AcknowledgedCharge[],
): Promise<readonly LostCharge[]> {
  const { membership, nodeId, store, log } = deps;
  const operations = chunk.map(({ operation, amount }) =>
    operation.type === "settle" ? { ...operation, charged: amount } : operation,
  );
  const batch = { nodeId, epoch: membership().epoch(), again: true, operations };
  try {
    const answer = await store.chargeAgain(encodeBatch(batch));
    if (answer === "fenced") throw new StoreUnavailable("the epoch has ended");
    return answer;
  } catch (error) {
    if (error instanceof StoreUnavailable) throw error;
    // One charge that cannot be written must not keep the others from it.
    const [only] = chunk;
    if (chunk.length > 1 || only === undefined) {
      const each: LostCharge[] = [];
      for (const one of chunk) each.push(...(await chargeChunk(deps, [one])));
      return each;
    }
    log.error({ err: error }, "a charge that the database had lost could not be written again");
    const { id, log: call } = only.operation;
    const lost = { requestId: id, userId: call.userId, acknowledged: only.amount, again: 0 };
    return only.operation.type === "settle" ? [{ ...lost, reason: "it was refused" }] : [];
  }
}

function namesOf({ charges, writes }: LossReport) {
  return {
    missingWrites: writes.slice(0, namesMax).map(nameOf),
    notCharged: charges
      .filter(({ acknowledged, again }) => again < acknowledged)
      .slice(0, namesMax)
      .map(({ requestId, acknowledged, again }) => `${requestId}: ${acknowledged - again}`),
  };
}
