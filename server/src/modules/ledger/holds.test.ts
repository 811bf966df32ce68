import { describe, expect, test } from "bun:test";
import type { Operation, OperationResult } from "./operations.ts";
import type { SendAnswer } from "./queue.ts";
import { chargedLog, failedLog } from "./testing/calls.ts";
import { call, openTestHolds, soon } from "./testing/holds.ts";

const away: SendAnswer = { kind: "store-failed", reason: "away" };
const done: OperationResult = { type: "done" };

const log = chargedLog({ requestId: "r1", userId: 7, tokenId: 3 });
const failure = failedLog({ requestId: "r1", userId: 7, tokenId: 3 });
const tooLow = { code: "quota-too-low" };

/** Plays a database that grants every requested amount. */
const grant = (operation: Operation): OperationResult => {
  if (operation.type === "take") return { type: "taken", amount: operation.want };
  if (operation.type === "more") return { type: "taken", amount: operation.want };
  if (operation.type === "settle") {
    return { type: "settled", charged: operation.charge, writeOff: 0 };
  }
  return done;
};

describe("a hold under the whole policy", () => {
  test("is decided in memory, and the store gets the operations in order", async () => {
    const { holds, sent, hold, pass } = openTestHolds("whole");
    expect(holds.reserve(call)).not.toBeInstanceOf(Promise);
    const other = await hold({ id: "r2" });
    other.release();
    await pass(0);

    expect(sent()).toEqual(["open", "open", "release"]);
    expect(holds.openCount()).toBe(1);
  });

  test("takes what there is, but not less than a call needs, of balance and token", async () => {
    const { holds, hold } = openTestHolds("whole");
    const limited = { tokenLimited: true, want: 90, least: 50 };
    const first = await hold(limited);

    expect(first.amount()).toBe(60);
    expect(first.extend(5)).toBe(0);
    expect(first.shortOf()).toBe("token");
    const second = { ...call, ...limited, id: "r2" };
    expect(holds.reserve(second)).toEqual({
      kind: "refused",
      by: "token",
      available: 0,
      rest: 60,
    });
    expect(holds.reserve({ ...call, id: "r3", least: 41 })).toEqual({
      kind: "refused",
      by: "user",
      available: 40,
      rest: 100,
    });
    expect(holds.reserve({ ...call, id: "r4", userId: 8, least: 1 })).toMatchObject({
      by: "user",
      available: 0,
    });
  });

  test("settles above itself from what is free, and the rest is written off", async () => {
    const { judge, operations, hold, pass } = openTestHolds("whole");
    const first = await hold();
    const second = await hold({ id: "r2", want: 50 });
    await first.settle({ charge: 70, log });
    await second.settle({ charge: 10, log });
    await pass(0);

    const settled = operations.filter(({ type }) => type === "settle");
    expect(settled).toMatchObject([
      { charge: 70, charged: 50 },
      { charge: 10, charged: 10 },
    ]);
    expect(judge.free("user:7")).toBe(40);
  });
});

describe("a hold under the exact policy", () => {
  test("is the database's grant, of which memory keeps nothing at the end", async () => {
    const { store, judge, operations, hold } = openTestHolds("exact");
    store.answer = grant;
    const held = await hold({ want: 40, least: 1, tags: "batch" });
    expect(held.amount()).toBe(40);
    expect(await held.extend(5)).toBe(5);
    expect(held.amount()).toBe(45);
    expect(await held.settle({ charge: 30, log })).toEqual({ charged: 30, writeOff: 0 });

    expect(operations).toMatchObject([
      { type: "take", want: 40, least: 1, facts: { id: "r1", tags: "batch", atMs: 1_000 } },
      { type: "more", before: 40, want: 5 },
      { type: "settle", charge: 30, charged: 30 },
    ]);
    expect([judge.free("user:7"), judge.openCount()]).toEqual([0, 0]);
  });

  // Then the outcome depends on rows, or on an extension that the end would overtake.
  test("leaves to the database what is more than it holds, and what ends while it is extended", async () => {
    const { store, operations, hold, pass } = openTestHolds("exact");
    store.answer = (operation) => (operation.type === "more" ? away : grant(operation));
    const small = await hold({ want: 40, least: 1 });
    void small.settle({ charge: 41, log });
    const growing = await hold({ id: "r2", want: 40, least: 1 });
    const gone = await hold({ id: "r3", want: 40, least: 1 });
    void growing.extend(5);
    void gone.extend(5);
    await pass(0);
    void growing.settle({ charge: 30, log });
    gone.release();
    store.answer = grant;
    await pass(200);
    const ends = operations.filter(({ type }) => type === "settle" || type === "release");
    expect(ends).toMatchObject([
      { charge: 41, charged: null },
      { charge: 30, charged: null },
      { id: "r3", behind: true },
    ]);
  });

  test("is refused with the account that has too little", async () => {
    const { store, holds } = openTestHolds("exact");
    const refused = { by: "token", available: 0, rest: 0 } as const;
    store.answer = () => ({ type: "refused", ...refused });
    expect(await holds.reserve(call)).toEqual({ kind: "refused", ...refused });
  });

  // The database tells that an extension was made already by how much the reservation's row has
  // grown. Two extensions at the same time would each take the other's growth for its own.
  test("is extended once at a time", async () => {
    const { store, hold, operations, pass } = openTestHolds("exact");
    store.answer = grant;
    const held = await hold();
    const added = [held.extend(5), held.extend(7)];
    await pass(0);

    expect(await Promise.all(added)).toEqual([5, 7]);
    expect(operations.slice(1)).toMatchObject([{ before: 40 }, { before: 45 }]);
  });

  test("that ends while it is extended stays ended", async () => {
    const { store, judge, hold, sent, pass } = openTestHolds("exact");
    store.answer = (operation) => (operation.type === "more" ? away : grant(operation));
    const held = await hold();
    const added = held.extend(5);
    await pass(0);
    held.release();
    store.answer = grant;
    await pass(200);

    expect(await added).toBe(0);
    expect(sent()).toEqual(["take", "more", "more", "release"]);
    expect(await held.extend(5)).toBe(0);
    expect([judge.free("user:7"), judge.openCount()]).toEqual([0, 0]);
  });

  test("a call does not wait for a database that fails during its reservation", async () => {
    const { store, holds, sent, pass } = openTestHolds("exact");
    store.answer = () => away;
    const answer = Promise.resolve(holds.reserve(call));
    let kind = "";
    void answer.then((given) => (kind = given.kind));
    await pass(999);
    expect(kind).toBe("");
    await pass(1);
    expect(kind).toBe("unavailable");

    store.answer = grant;
    await pass(200);
    // The call was refused without waiting for the database, which granted its reservation later;
    // so the hold is released.
    expect(sent().at(-1)).toBe("release");
  });

  test("a call whose grant arrives when other nodes may take this one for dead is refused", async () => {
    const { store, holds, sent, pass } = openTestHolds("exact");
    store.answer = () => {
      store.isCurrent = false;
      return { type: "taken", amount: 40 };
    };
    const answer = await holds.reserve(call);
    await pass(1);

    expect(answer.kind).toBe("unavailable");
    expect(sent()).toEqual(["take", "release"]);
    expect(holds.openCount()).toBe(0);
  });

  test("nobody is refused for what ended calls hold until the books have them", async () => {
    const { store, holds, operations } = openTestHolds("exact");
    const takes = () => operations.filter(({ type }) => type === "take").length;
    const refuse = (rest: number) => {
      const refused = { type: "refused", by: "user", available: 0, rest } as const;
      store.answer = () => (takes() > 1 ? { type: "taken", amount: call.want } : refused);
    };
    refuse(call.least);
    expect(await holds.reserve(call)).toMatchObject({ kind: "refused" });
    operations.length = 0;
    store.isCatchingUp = true;
    expect(await holds.reserve(call)).toMatchObject({ kind: "held" });
    // Nobody else holds what is missing.
    operations.length = 0;
    refuse(call.least - 1);
    expect([await holds.reserve(call), takes()]).toMatchObject([{ kind: "refused" }, 1]);
  });

  test("a call that other nodes ended before it could begin is refused", async () => {
    const { store, holds } = openTestHolds("exact");
    store.answer = () => ({ type: "interrupted" });

    expect(await holds.reserve(call)).toEqual({ kind: "unavailable" });
  });
});

for (const policy of ["exact", "whole"] as const) {
  describe(`on ${policy} grants`, () => {
    test("a call is refused after the store has not committed for a second", async () => {
      const { store, holds, sent, pass } = openTestHolds(policy);
      store.answer = () => away;
      holds.recordFailure(failure);
      await pass(100);
      let kind = "";
      void Promise.resolve(holds.reserve(call)).then((given) => (kind = given.kind));
      await pass(999);
      expect(kind).toBe("");
      await pass(1);

      expect(kind).toBe("unavailable");
      expect(sent()).not.toContain(policy === "whole" ? "open" : "take");
      expect(holds.openCount()).toBe(0);
    });

    test("a node that others may take for dead refuses calls, and takes calls again later", async () => {
      const { store, holds, sent, pass } = openTestHolds(policy);
      store.answer = grant;
      store.isCurrent = false;
      const kinds: string[] = [];
      const note = ({ kind }: { kind: string }): number => kinds.push(kind);
      void Promise.resolve(holds.reserve(call)).then(note);
      await pass(1_000);
      expect(kinds).toEqual(["unavailable"]);
      expect(sent()).toEqual([]);

      void Promise.resolve(holds.reserve(call)).then(note);
      await pass(500);
      store.isCurrent = true;
      await pass(100);
      expect(kinds).toEqual(["unavailable", "held"]);
    });

    test("a call starts if the store is back within a second", async () => {
      const { store, holds, pass } = openTestHolds(policy);
      store.answer = () => away;
      holds.recordFailure(failure);
      await pass(100);
      let kind = "";
      void Promise.resolve(holds.reserve(call)).then((given) => (kind = given.kind));
      await pass(500);
      store.answer = grant;
      await pass(400);

      expect(kind).toBe("held");
    });

    test("calls are refused while the store has been silent for more than a second", async () => {
      const { store, holds, pass } = openTestHolds(policy);
      store.answer = () => null;
      holds.recordFailure(failure);
      await pass(1_001);
      let kind = "";
      void Promise.resolve(holds.reserve(call)).then((given) => (kind = given.kind));
      await pass(1_000);

      expect(kind).toBe("unavailable");
    });

    test("invalid amounts throw before they change anything", async () => {
      const { store, judge, holds, hold, sent } = openTestHolds(policy);
      store.answer = grant;
      for (const bad of [-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53]) {
        expect(() => holds.reserve({ ...call, want: bad })).toThrow("not an amount");
        expect(() => holds.reserve({ ...call, least: bad })).toThrow("not an amount");
      }
      const held = await hold();
      for (const bad of [-1, 0.5, Number.NaN]) {
        await expect(held.settle({ charge: bad, log })).rejects.toThrow("not an amount");
        await expect((async () => await held.extend(bad))()).rejects.toThrow("not an amount");
      }

      expect(held.amount()).toBe(40);
      expect(judge.openCount()).toBe(1);
      expect(sent()).toEqual([policy === "whole" ? "open" : "take"]);
    });

    test("a call ends once", async () => {
      const { store, hold, sent } = openTestHolds(policy);
      store.answer = grant;
      const settled = await hold();
      await settled.settle({ charge: 3, log });
      await expect(settled.settle({ charge: 3, log })).rejects.toThrow("not open");
      expect(() => settled.release()).toThrow("not open");
      const released = await hold({ id: "r2" });
      released.release();
      await expect(released.settle({ charge: 3, log })).rejects.toThrow("not open");
      await soon();

      expect(sent().filter((type) => type === "settle" || type === "release")).toEqual([
        "settle",
        "release",
      ]);
    });

    test("a settlement that is refused permanently returns its hold", async () => {
      const { store, judge, holds, hold, sent } = openTestHolds(policy);
      store.answer = (operation) => {
        if (operation.type === "settle") throw new Error("refused");
        return grant(operation);
      };
      const held = await hold();
      await expect(held.settle({ charge: 30, log })).rejects.toThrow("refused");
      await soon();

      expect(sent().at(-1)).toBe("release");
      expect(holds.openCount()).toBe(0);
      expect(judge.free("user:7")).toBe(policy === "whole" ? 100 : 0);
    });
  });
}

describe("a change of a balance by the console", () => {
  test("takes no quota that running calls hold, and no call gets the taken quota", async () => {
    const { holds, hold } = openTestHolds("whole");
    await hold({ tokenLimited: true });
    let written = 0;
    const write = async (): Promise<string> => {
      written += 1;
      // While the console's change is being written, the amount that it takes is not available to
      // calls.
      expect(holds.reserve({ ...call, id: "r2", least: 11 })).toMatchObject({ available: 10 });
      return "written";
    };
    await expect(holds.money.moveUser(7, -61, write)).rejects.toMatchObject(tooLow);
    await expect(holds.money.moveToken(3, -21, write)).rejects.toMatchObject(tooLow);
    expect(written).toBe(0);
    expect(await holds.money.moveUser(7, -50, write)).toBe("written");
    expect(await holds.money.moveToken(3, -20, async () => "token")).toBe("token");
  });

  test("counts when it is committed, not before", async () => {
    const { holds, judge } = openTestHolds("whole");
    const write = Promise.withResolvers<void>();
    const moved = holds.money.moveUser(7, 50, async () => await write.promise);
    await soon();
    expect(judge.free("user:7")).toBe(100);
    write.resolve();
    await moved;
    expect(judge.free("user:7")).toBe(150);
  });

  test("that fails leaves the balance as it was, whether it adds or subtracts", async () => {
    const { holds, judge } = openTestHolds("whole");
    const fail = async (): Promise<never> => {
      throw new Error("disk full");
    };
    await expect(holds.money.moveUser(7, -50, fail)).rejects.toThrow("disk full");
    await expect(holds.money.moveUser(7, 50, fail)).rejects.toThrow("disk full");
    await expect(holds.money.moveToken(3, -50, fail)).rejects.toThrow("disk full");
    expect([judge.free("user:7"), judge.free("token:3")]).toEqual([100, 60]);
  });

  test("of a new user or token can be spent at once", async () => {
    const { holds, hold } = openTestHolds("whole");
    holds.money.openedUser(8, 30);
    holds.money.openedToken(9, 20);
    const held = await hold({ userId: 8, tokenId: 9, tokenLimited: true, want: 40, least: 1 });
    expect(held.amount()).toBe(20);
  });

  test("is decided by the database under the exact policy", async () => {
    const { holds, judge } = openTestHolds("exact");
    expect(await holds.money.moveUser(7, -1_000, async () => "posted")).toBe("posted");
    await holds.money.moveUser(7, 1_000, async () => {});
    holds.money.openedUser(8, 30);
    expect([judge.free("user:7"), judge.free("user:8")]).toEqual([0, 0]);
  });
});
