import { describe, expect, test } from "bun:test";
import { changesMax, type ConfigChange } from "#db/changes.ts";
import { openSnapshot } from "#snapshot.ts";

type Sources = Parameters<ReturnType<typeof openSnapshot>["load"]>[0];
type LoadedToken = Awaited<ReturnType<Sources["loadTokens"]>>[number];

/** Opens a snapshot that follows changes of tokens made by the test. */
async function openTestSnapshot() {
  const changes: ConfigChange[] = [];
  const tokens = new Map<number, LoadedToken>();
  const users = new Map([[7, { id: 7 }]]);
  const reads = { changes: 0, whole: 0 };
  /** The status of token 1 at each report of the snapshot that callers have changed. */
  const told: (number | undefined)[] = [];
  const put = (id: number, status: number): void => {
    // Safe cast: this test reads no other fields of a token.
    const view = { id, status, lookup: `key-${id}` } as NonNullable<LoadedToken["found"]>["view"];
    tokens.set(id, { id, found: { view, old: null } });
  };
  const database = { isBehind: false, newest: 0, noticed: 0 };
  const { snapshot, load, applyChanges, reload } = openSnapshot(
    () => void told.push(statusOf(1)),
    () => (database.noticed += 1),
  );
  put(1, 1);
  await load({
    readClock: async () => ({ version: database.newest, mark: "" }),
    async listChanges({ version }) {
      reads.changes += 1;
      const after = changes.filter((change) => change.version > version).slice(0, changesMax);
      return { isBehind: database.isBehind, changes: after };
    },
    async loadTokens(ids) {
      if (ids === null) reads.whole += 1;
      return [...tokens.values()].filter(({ id }) => ids === null || ids.includes(id));
    },
    // Safe cast: this test reads no other fields of a user.
    loadUsers: async () => [...users.values()] as never,
    loadChannels: async () => [],
    // Safe cast: this test reads neither prices nor options.
    loadPrices: async () => ({}) as never,
    loadOptions: async () => ({}) as never,
  });
  const statusOf = (id: number) => snapshot.findToken(`key-${id}`)?.status;
  const record = (version: number, id: number): void => {
    changes.push({ version, part: "tokens", entity_id: id, mark: "" });
  };
  const parts = {
    snapshot,
    changes,
    tokens,
    users,
    reads,
    told,
    put,
    record,
    statusOf,
    applyChanges,
  };
  return { ...parts, database, reload };
}

describe("changes of the configuration", () => {
  test("are applied completely in one run, however many there are", async () => {
    const { reads, put, record, statusOf, applyChanges } = await openTestSnapshot();
    const backlog = 15 * changesMax;
    for (let version = 1; version <= backlog; version += 1) record(version, 9);
    put(1, 2);
    record(backlog + 1, 1);
    await applyChanges();

    expect(statusOf(1)).toBe(2);
    expect(reads.changes).toBe(16);
  });

  test("that were removed already are replaced by reading everything, deletions included", async () => {
    const { snapshot, tokens, users, reads, put, record, statusOf, applyChanges } =
      await openTestSnapshot();
    expect([reads.whole, snapshot.findUser(7)?.id]).toEqual([1, 7]);
    tokens.delete(1);
    users.delete(7);
    put(2, 1);
    record(7, 3);
    await applyChanges();

    expect([reads.whole, snapshot.findUser(7)]).toEqual([2, undefined]);
    expect([statusOf(1), statusOf(2)]).toEqual([undefined, 1]);
  });

  test("in a database that went back are not followed: everything is read, and told", async () => {
    const { database, tokens, reads, put, record, told, statusOf, applyChanges } =
      await openTestSnapshot();
    for (let version = 1; version <= 9; version += 1) record(version, 9);
    await applyChanges();
    Object.assign(database, { isBehind: true, newest: 4 });
    tokens.delete(1);
    put(2, 1);
    await applyChanges();
    expect([statusOf(1), statusOf(2)]).toEqual([undefined, 1]);
    expect([reads.whole, database.noticed, told.length]).toEqual([2, 1, 2]);

    // From here on the versions of the database count.
    database.isBehind = false;
    put(2, 2);
    record(5, 2);
    await applyChanges();
    expect(statusOf(2)).toBe(2);
  });

  test("are not waited for where everything is to be read", async () => {
    const { reads, put, statusOf, reload } = await openTestSnapshot();
    put(1, 3);
    await reload();
    expect([statusOf(1), reads.whole]).toEqual([3, 2]);
  });

  test("that nobody tells are found where everything is read: who is gone may not call", async () => {
    const { snapshot, tokens, users, statusOf, reload } = await openTestSnapshot();
    tokens.delete(1);
    users.delete(7);
    users.set(8, { id: 8 });
    await reload();
    expect([statusOf(1), snapshot.findUser(7), snapshot.findUser(8)?.id]).toEqual([
      undefined,
      undefined,
      8,
    ]);
  });

  test("without a gap are applied one by one", async () => {
    const { reads, put, record, statusOf, applyChanges } = await openTestSnapshot();
    put(1, 3);
    record(1, 1);
    await applyChanges();

    expect(statusOf(1)).toBe(3);
    expect(reads.whole).toBe(1);
  });

  test("of users and tokens are told once they are in force, because calls of these may run", async () => {
    const { changes, put, record, told, applyChanges } = await openTestSnapshot();
    await applyChanges();
    changes.push({ version: 1, part: "options", entity_id: 0, mark: "" });
    await applyChanges();
    expect(told).toEqual([]);

    put(1, 2);
    record(2, 1);
    await applyChanges();
    changes.push({ version: 3, part: "users", entity_id: 7, mark: "" });
    await applyChanges();
    expect(told).toEqual([2, 2]);
  });

  test("of channels and prices make another revision, others do not", async () => {
    const { snapshot, changes, record, applyChanges } = await openTestSnapshot();
    const revisions = [snapshot.revision];
    record(1, 1);
    for (const part of ["users", "options", "channels", "prices"] as const) {
      changes.push({ version: changes.length + 1, part, entity_id: 0, mark: "" });
      await applyChanges();
      revisions.push(snapshot.revision);
    }

    const [first = 0] = revisions;
    expect(revisions).toEqual([first, first, first, first + 1, first + 2]);
  });
});
