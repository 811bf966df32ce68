import { afterEach, expect, test } from "bun:test";
import { changeStore, recordChange } from "./changes.ts";
import { databaseMs } from "./dialect.ts";
import { bindStore } from "./store.ts";
import { openTestDatabase, testDialects } from "./testing/database.ts";

let opened: Awaited<ReturnType<typeof openTestDatabase>> | undefined;
afterEach(async () => await opened?.close());

for (const dialect of testDialects) {
  test(`on ${dialect} a change is kept until every node has applied it; the newest is always kept`, async () => {
    opened = await openTestDatabase(dialect);
    const { db } = opened;
    const store = bindStore(changeStore, db);
    const now = databaseMs(db);
    for (const id of ["quick", "slow"]) {
      const node = {
        id,
        epoch: 1,
        started_at: now,
        heartbeat_at: now,
        draining: 0,
        config_version: 0,
      };
      await db.insertInto("nodes").values(node).execute();
    }
    for (let id = 1; id <= 5; id += 1) {
      await db.transaction().execute(async (tx) => await recordChange(tx, "tokens", id));
    }
    const kept = async () => {
      const { changes } = await store.listChanges({ version: 0, mark: "" });
      return changes.map(({ version }) => version);
    };

    const clean = async (id: string, version: number): Promise<void> => {
      await db.updateTable("nodes").set({ config_version: version }).where("id", "=", id).execute();
      await store.cleanChanges();
    };
    await clean("quick", 5);
    expect(await kept()).toEqual([1, 2, 3, 4, 5]);
    await clean("slow", 3);
    expect(await kept()).toEqual([4, 5]);
    await clean("slow", 5);
    // The newest change stays, because a removed node that comes back sees by its version that it
    // missed changes.
    expect(await kept()).toEqual([5]);
  });

  test(`on ${dialect} a clock that went back is noticed, also once it has caught up`, async () => {
    opened = await openTestDatabase(dialect);
    const { db } = opened;
    const store = bindStore(changeStore, db);
    const change = async (): Promise<void> =>
      await db.transaction().execute(async (tx) => await recordChange(tx, "tokens", 1));
    for (let count = 0; count < 3; count += 1) await change();
    const point = await store.readClock();
    expect(point.version).toBe(3);
    expect(await store.listChanges(point)).toEqual({ isBehind: false, changes: [] });

    await db.deleteFrom("config_changes").where("version", ">", 1).execute();
    await db.updateTable("config_clock").set({ version: 1 }).execute();
    expect((await store.listChanges(point)).isBehind).toBeTrue();
    for (let count = 0; count < 4; count += 1) await change();
    expect((await store.readClock()).version).toBe(5);
    expect((await store.listChanges(point)).isBehind).toBeTrue();
  });
}
