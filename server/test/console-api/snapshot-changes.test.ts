import { describe, expect, test } from "bun:test";
import { packRows } from "#base/memory/packed-rows.ts";
import { changesMax, type ConfigChange } from "#db/changes.ts";
import type { TokenView } from "#ports/snapshot.ts";
import { openSnapshot } from "#snapshot.ts";

type Sources = Parameters<ReturnType<typeof openSnapshot>["load"]>[0];
type PackedToken = Awaited<ReturnType<Sources["loadTokens"]>>[number];

/** Opens a snapshot that follows changes of tokens made by the test. */
async function openTestSnapshot(heldMax = 100) {
  const changes: ConfigChange[] = [];
  const tokens = new Map<number, PackedToken>();
  const users = new Map([[7, { id: 7, status: 1 }]]);
  /** Users without a key, who are not read with the others. */
  const keyless = new Map<number, { id: number; status: number }>();
  const channels: { id: number }[] = [];
  const opening: { reading?: Promise<void>; users?: Promise<void> } = {};
  const reads = { changes: 0, whole: 0, tokens: 0, users: 0, found: 0, channels: [] as string[] };
  /** The status of token 1 at each report of the snapshot that callers have changed. */
  const told: (number | undefined)[] = [];
  const put = (id: number, status: number): void => {
    tokens.set(id, { id, lookups: [`key-${id}`], packed: String(status) });
  };
  const database = { isBehind: false, newest: 0, noticed: 0 };
  const { snapshot, load, applyChanges, reload } = openSnapshot(
    () => void told.push(statusOf(1)),
    () => (database.noticed += 1),
    heldMax,
  );
  put(1, 1);
  await load({
    readClock: async () => ({ version: database.newest, mark: "" }),
    async listChanges({ version }) {
      reads.changes += 1;
      const after = changes.filter((change) => change.version > version).slice(0, changesMax);
      return { isBehind: database.isBehind, changes: after };
    },
    hasMoreTokens: async (most) => tokens.size > most,
    async loadTokens(ids) {
      reads.tokens += 1;
      return ids.map((id) => tokens.get(id) ?? { id, lookups: [`key-${id}`], packed: "" });
    },
    async loadTokensAfter(after) {
      if (after === 0) reads.whole += 1;
      const some = [...tokens.values()].filter(({ id }) => id > after).slice(0, 2);
      const rows = some.map(({ id, lookups, packed }) => ({ id, keys: lookups, text: packed }));
      return { last: some.at(-1)?.id ?? 0, rows: packRows(rows) };
    },
    async findByLookup(lookup) {
      reads.found += 1;
      await opening.reading;
      return [...tokens.values()].find(({ lookups }) => lookups.includes(lookup));
    },
    // Safe cast: this test reads no other fields of a token.
    openToken: (packed, lookup) =>
      ({
        id: Number(lookup.slice(4)),
        userId: Number(lookup.slice(4)) * 100,
        status: Number(packed),
        lookup,
      }) as TokenView,
    // Safe casts: this test reads no other fields of users and channels.
    async loadUsers(ids) {
      reads.users += 1;
      const found = [...users.values(), ...keyless.values()].filter(({ id }) => ids.includes(id));
      await opening.users;
      return found as never;
    },
    loadUsersAfter: async (after) => [...users.values()].filter(({ id }) => id > after) as never,
    async loadChannels(ids) {
      reads.channels.push(ids === null ? "all" : ids.join());
      return channels.filter(({ id }) => ids === null || ids.includes(id)) as never;
    },
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
    keyless,
    reads,
    told,
    put,
    record,
    statusOf,
    applyChanges,
  };
  return { ...parts, database, reload, channels, opening };
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
    users.set(8, { id: 8, status: 1 });
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

  test("of channels, prices and options make another revision, those of users do not", async () => {
    const { snapshot, changes, record, applyChanges } = await openTestSnapshot();
    const revisions = [snapshot.revision];
    record(1, 1);
    for (const part of ["users", "options", "channels", "prices"] as const) {
      changes.push({ version: changes.length + 1, part, entity_id: 0, mark: "" });
      await applyChanges();
      revisions.push(snapshot.revision);
    }

    const [first = 0] = revisions;
    expect(revisions).toEqual([first, first, first + 1, first + 2, first + 3]);
  });
});

describe("users without a key", () => {
  test("are read when they are asked for, once, and stay where everything is read again", async () => {
    const { snapshot, keyless, reads, reload } = await openTestSnapshot();
    keyless.set(9, { id: 9, status: 1 });
    expect(snapshot.findUser(9)).toBeUndefined();
    expect((await snapshot.readUser(9))?.id).toBe(9);
    expect((await snapshot.readUser(9))?.id).toBe(9);
    expect([snapshot.findUser(9)?.id, reads.users]).toEqual([9, 1]);
    // A call of theirs may run, which would end if they were gone.
    keyless.set(9, { id: 9, status: 2 });
    await reload();
    expect(snapshot.findUser(9)?.status).toBe(2);
    keyless.delete(9);
    await reload();
    expect(snapshot.findUser(9)).toBeUndefined();
    expect(await snapshot.readUser(9)).toBeUndefined();
  });

  test("are there as soon as their first key is", async () => {
    const { snapshot, keyless, put, record, applyChanges } = await openTestSnapshot();
    keyless.set(200, { id: 200, status: 1 });
    put(2, 1);
    record(1, 2);
    const running = applyChanges();
    while (snapshot.findToken("key-2") === undefined) await Bun.sleep(0);
    expect(snapshot.findUser(200)?.id).toBe(200);
    await running;
  });

  test("are there as soon as a key of theirs is read because it calls", async () => {
    const { snapshot, keyless, put, reload } = await openTestSnapshot(2);
    for (const id of [1, 2, 3, 4]) put(id, 1);
    keyless.set(400, { id: 400, status: 1 });
    await reload();
    expect((await snapshot.readToken("key-4"))?.userId).toBe(400);
    expect(snapshot.findUser(400)?.id).toBe(400);
  });

  test("who are disabled while they are read are disabled", async () => {
    const { snapshot, keyless, changes, opening, applyChanges } = await openTestSnapshot();
    keyless.set(9, { id: 9, status: 1 });
    let finish = (): void => {};
    opening.users = new Promise((resolve) => (finish = resolve));
    const reading = snapshot.readUser(9);
    await Bun.sleep(0);
    delete opening.users;
    keyless.set(9, { id: 9, status: 2 });
    changes.push({ version: 1, part: "users", entity_id: 9, mark: "" });
    await applyChanges();
    finish();
    expect((await reading)?.status).toBe(2);
    expect(snapshot.findUser(9)?.status).toBe(2);
  });
});

describe("more tokens than are kept", () => {
  /** Opens a snapshot that keeps two tokens, of five that there are. */
  async function openLarge() {
    const opened = await openTestSnapshot(2);
    for (const id of [1, 2, 3, 4, 5]) opened.put(id, 1);
    await opened.reload();
    return opened;
  }

  test("are found one by one when they call, and once read cost no more than before", async () => {
    const { snapshot, reads } = await openLarge();
    expect(snapshot.findToken("key-4")).toBeNull();
    const both = await Promise.all([snapshot.readToken("key-4"), snapshot.readToken("key-4")]);
    expect(both.map((token) => token?.id)).toEqual([4, 4]);
    expect(reads.found).toBe(1);
    expect(snapshot.findToken("key-4")?.id).toBe(4);
    expect(snapshot.findToken("key-4")).toBe(snapshot.findToken("key-4"));
  });

  test("are kept up to the limit: the one that called last stays", async () => {
    const { snapshot, reads } = await openLarge();
    for (const id of [1, 2, 3]) await snapshot.readToken(`key-${id}`);
    expect(snapshot.findToken("key-1")).toBeNull();
    expect(snapshot.findToken("key-3")?.id).toBe(3);
    await snapshot.readToken("key-1");
    expect(reads.found).toBe(4);
  });

  test("an unknown key is read once, until a token gets it", async () => {
    const { snapshot, reads, put, record, applyChanges } = await openLarge();
    expect(await snapshot.readToken("key-9")).toBeUndefined();
    expect(await snapshot.readToken("key-9")).toBeUndefined();
    expect(snapshot.findToken("key-9")).toBeUndefined();
    expect(reads.found).toBe(1);
    put(9, 1);
    record(1, 9);
    await applyChanges();
    expect(snapshot.findToken("key-9")?.id).toBe(9);
  });

  test("one that was disabled or deleted is refused at once, also if it is not kept", async () => {
    const { snapshot, tokens, put, record, statusOf, applyChanges } = await openLarge();
    await snapshot.readToken("key-1");
    put(1, 2);
    tokens.delete(5);
    record(1, 1);
    record(2, 5);
    await applyChanges();
    expect(statusOf(1)).toBe(2);
    expect(snapshot.findToken("key-5")).toBeUndefined();
  });

  test("one that changes while it is read is read again", async () => {
    const { snapshot, opening, put, record, reads, applyChanges } = await openLarge();
    let finish = (): void => {};
    opening.reading = new Promise((resolve) => (finish = resolve));
    const reading = snapshot.readToken("key-3");
    await Bun.sleep(0);
    put(3, 2);
    record(1, 3);
    await applyChanges();
    finish();
    expect((await reading)?.status).toBe(2);
    expect(reads.found).toBeLessThanOrEqual(2);
  });

  test("those that are kept are read again where everything is read", async () => {
    const { snapshot, put, statusOf, reads, reload } = await openLarge();
    await snapshot.readToken("key-1");
    put(1, 3);
    await reload();
    expect([statusOf(1), reads.tokens]).toEqual([3, 1]);
  });

  test("become few again when enough are deleted, and are then all kept", async () => {
    const { snapshot, tokens, reload } = await openLarge();
    for (const id of [1, 2, 3]) tokens.delete(id);
    await reload();
    expect(snapshot.findToken("key-1")).toBeUndefined();
    expect(snapshot.findToken("key-4")?.id).toBe(4);
  });
});

test("a change of one channel reads one channel, and others stay as they are", async () => {
  const { snapshot, channels, changes, reads, applyChanges } = await openTestSnapshot();
  const channel = (id: number, name: string) =>
    ({ id, name, status: 1, priority: 0, models: new Set(["m"]), groups: new Set(["g"]) }) as never;
  channels.push(channel(1, "one"), channel(2, "two"));
  changes.push({ version: 1, part: "channels", entity_id: 0, mark: "" });
  await applyChanges();
  channels[1] = channel(2, "second");
  changes.push({ version: 2, part: "channels", entity_id: 2, mark: "" });
  await applyChanges();
  expect(reads.channels).toEqual(["all", "all", "2"]);
  expect([...snapshot.channels()].map(({ name }) => name)).toEqual(["one", "second"]);
  expect(snapshot.tiersFor("g", "m")?.[0]?.channels).toHaveLength(2);
  channels.shift();
  changes.push({ version: 3, part: "channels", entity_id: 1, mark: "" });
  await applyChanges();
  expect([...snapshot.channels()].map(({ id }) => id)).toEqual([2]);
});

test("a key that was replaced at once is found no more, and its successor is", async () => {
  const { snapshot, tokens, record, applyChanges } = await openTestSnapshot();
  expect(snapshot.findToken("key-1")?.id).toBe(1);
  tokens.set(1, { id: 1, lookups: ["key-100"], packed: "1" });
  record(1, 1);
  await applyChanges();
  expect(snapshot.findToken("key-1")).toBeUndefined();
  expect(snapshot.findToken("key-100")?.status).toBe(1);
});
