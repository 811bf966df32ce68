import { expect, test } from "bun:test";
import { openLogger } from "#base/logger.ts";
import { StoreUnavailable } from "#db/store-unavailable.ts";
import type { Operation } from "#modules/ledger/operations.ts";
import { decodeBatch } from "#modules/ledger/batch-text.ts";
import { chargedLog } from "#modules/ledger/testing/calls.ts";
import { soon } from "#modules/ledger/testing/holds.ts";
import { openChargeRing } from "./charge-ring.ts";
import { openComeBack } from "./come-back.ts";
import { type ConfirmedWrite, nameOf, openWriteRing } from "./write-ring.ts";
import type { LossReport } from "./report.ts";
import type { LostCharge } from "./restore.ts";

const settle = (id: string, charge = 10): Operation & { readonly type: "settle" } => ({
  type: "settle",
  id,
  tokenLimited: false,
  charge,
  charged: null,
  log: chargedLog({ requestId: id }),
});

/** Opens what a node does then, over a stand-in for the database that the test controls. */
function openTestComeBack() {
  const steps: string[] = [];
  const reports: LossReport[] = [];
  const charges = openChargeRing(3);
  const writes = openWriteRing(() => 1_000);
  const store = {
    failures: 0,
    lost: (id: string): Partial<LostCharge> | null => ({ again: 10, reason: id }),
    released: [] as (readonly string[])[],
    async applyEnded() {
      steps.push("apply");
      return false;
    },
    async releaseUnowned(_: string, kept: readonly string[]) {
      steps.push("release");
      store.released.push(kept);
      return 0;
    },
    async chargeAgain(text: string): Promise<LostCharge[]> {
      steps.push("charge");
      if ((store.failures -= 1) >= 0) throw new StoreUnavailable("away");
      const { operations } = decodeBatch(text);
      return operations.flatMap((one) => {
        if (one.type !== "settle") return [];
        const found = store.lost(one.id);
        const base = { requestId: one.id, userId: 1, acknowledged: one.charged ?? 0, again: 0 };
        return found === null ? [] : [{ ...base, reason: "", ...found }];
      });
    },
    findLostWrites: async (all: readonly ConfirmedWrite[]) => [...all],
    async storeReport() {
      steps.push("store");
    },
  };
  const comeBack = openComeBack({
    nodeId: "n",
    store,
    membership: () => ({
      epoch: () => 2,
      caughtUp: () => void steps.push("caught up"),
      async renew() {
        steps.push("renew");
      },
    }),
    charges,
    writes,
    ownedIds: () => ["runs"],
    async reload() {
      steps.push("reload");
    },
    tell: async (report) => void reports.push(report),
    now: () => 1_000,
    wait: async () => {},
    log: openLogger("silent"),
  });
  const done = async (): Promise<void> => {
    while (steps.at(-1) !== "caught up") await soon();
  };
  const gauge = (name: string) => comeBack.gauges.find((one) => one.name === name)?.read();
  return { comeBack, charges, writes, store, steps, reports, done, gauge };
}

test("a node takes calls again when everything is read, released, charged and stored, not before", async () => {
  const { comeBack, charges, writes, store, steps, reports, done, gauge } = openTestComeBack();
  charges.note(settle("a"), 10);
  writes.note([
    { kind: "entry", what: "redeem:7" },
    { kind: "audit", hash: "h", what: "user.update user:7" },
  ]);
  store.failures = 1;
  comeBack.begin();
  await done();
  const once = ["renew", "reload", "apply", "release", "charge"];
  expect(steps).toEqual([...once, ...once, "release", "store", "caught up"]);
  // What a charge names is not released before it is charged.
  expect(store.released).toEqual([["runs", "a"], ["runs", "a"], ["runs"]]);
  expect(reports).toHaveLength(1);
  expect(reports[0]?.writes.map(nameOf)).toEqual([
    "1970-01-01T00:00:01.000Z entry redeem:7, audit user.update user:7",
  ]);
  expect(gauge("tollgate_charged_again_units")).toBe(10);
  expect(gauge("tollgate_console_writes_lost")).toBe(1);
});

test("what is noticed while a node comes back makes it come back once more", async () => {
  const { comeBack, charges, steps, done, gauge } = openTestComeBack();
  charges.note(settle("a"), 10);
  comeBack.begin();
  comeBack.begin();
  await done();
  expect(steps.filter((step) => step === "renew")).toHaveLength(2);
  expect(gauge("tollgate_database_went_back")).toBe(1);
});

test("a charge that cannot be written again is told once, and does not keep others from it", async () => {
  const { comeBack, charges, store, steps, reports, done, gauge } = openTestComeBack();
  charges.note(settle("bad"), 10);
  charges.note(settle("good"), 10);
  store.lost = (id) => {
    if (id === "bad") throw new Error("a bug");
    return { again: 10 };
  };
  comeBack.begin();
  await done();
  expect(reports[0]?.charges.map(({ requestId, again }) => [requestId, again])).toEqual([
    ["bad", 0],
    ["good", 10],
  ]);
  expect(gauge("tollgate_written_off_lost_units")).toBe(10);

  steps.length = 0;
  store.lost = (id) => (id === "bad" ? { again: 0 } : null);
  comeBack.begin();
  await done();
  expect(reports).toHaveLength(1);
});

test("the ring of charges keeps the newest, by number and by bytes", () => {
  const few = openChargeRing(2);
  for (const id of ["a", "b", "c"]) few.note(settle(id), 1);
  expect(few.list().map(({ operation }) => operation.id)).toEqual(["b", "c"]);
  const small = openChargeRing(100, 10_000);
  for (let index = 0; index < 50; index += 1) small.note(settle(`${index}`), index);
  const kept = small.list();
  expect(kept.length).toBeWithin(2, 10);
  expect(kept.at(-1)?.amount).toBe(49);
  const long = settle("long");
  small.note({ ...long, log: { ...long.log, losses: ["x".repeat(9_000)] } }, 1);
  expect(small.list().map(({ operation }) => operation.id)).toEqual(["long"]);
});

test("the ring of writes is bounded by number and by age", () => {
  let now = 0;
  const ring = openWriteRing(() => now);
  for (let index = 0; index < 10_000; index += 1) {
    ring.note([{ kind: "audit", hash: "", what: "x".repeat(500) }]);
  }
  expect(ring.list().length).toBeLessThanOrEqual(4_000);
  expect(ring.list()[0]?.written[0]?.what.length).toBeLessThan(500);
  now = 3 * 3_600_000;
  ring.note([{ kind: "entry", what: "topup:1" }]);
  expect(ring.list().map(({ written }) => written[0]?.what)).toEqual(["topup:1"]);
});
