import { describe, expect, test } from "bun:test";
import { openLogger } from "#base/logger.ts";
import { openSecrets } from "#base/secrets.ts";
import type { Db } from "#db/database.ts";
import { bindStore } from "#db/store.ts";
import { openTestDatabase, testDialects } from "#db/testing/database.ts";
import { issuersModule } from "./issuers.module.ts";
import { issuerStore } from "./issuers.store.ts";

const dayMs = 86_400_000;
const ada = { userId: 7, channelId: 3, key: "sk-upstream" };

/** Opens the module as one node does. */
function openNode(db: Db, clock: { nowMs: number }) {
  const store = bindStore(issuerStore, db);
  const asked: string[] = [];
  const module = issuersModule.open({
    store: {
      ...store,
      async findIssued(mark: string) {
        asked.push(mark);
        return await store.findIssued(mark);
      },
      async findAllIssued(marks: readonly string[]) {
        asked.push(...marks);
        return await store.findAllIssued(marks);
      },
    },
    secrets: openSecrets("0123456789abcdef".repeat(4)),
    clock: { now: () => clock.nowMs, elapsed: () => clock.nowMs },
    log: openLogger("silent"),
    // Safe cast: the module reads nothing else.
  } as unknown as Parameters<typeof issuersModule.open>[0]);
  return { ...module.face, asked, clean: async () => await module.jobs[0]?.run() };
}

for (const dialect of testDialects) {
  describe(`issuers on ${dialect}`, () => {
    test("T4: another node finds the channel that began a conversation, and its key", async () => {
      const { db, close } = await openTestDatabase(dialect);
      const clock = { nowMs: Date.parse("2026-11-21T12:00:00Z") };
      const [here, there] = [openNode(db, clock), openNode(db, clock)];
      here.note(["resp_1", "sealed_1"], ada);

      expect(await here.find("resp_1")).toMatchObject({ userId: 7, channelId: 3 });
      expect(here.asked).toEqual([]);
      await here.drained();
      expect(await there.find("sealed_1")).toEqual({
        userId: 7,
        channelId: 3,
        keyMark: there.markOf("sk-upstream"),
      });
      expect(await there.find("resp_2")).toBeUndefined();
      const rows = JSON.stringify(await db.selectFrom("issued").selectAll().execute());
      expect(rows).not.toMatch(/resp_1|sealed_1|sk-upstream/);
      await close();
    });

    test("T3: another node finds who signed each text of a long conversation, and asks once", async () => {
      const { db, close } = await openTestDatabase(dialect);
      const clock = { nowMs: Date.parse("2026-11-21T12:00:00Z") };
      const [here, there] = [openNode(db, clock), openNode(db, clock)];
      const texts = Array.from({ length: 300 }, (_, index) => `signature ${index}`);
      here.note(texts, { ...ada, key: "anthropic" });
      await here.drained();

      const found = await there.findAll([...texts, "unknown"]);
      expect(found.size).toBe(300);
      expect(found.get("signature 7")?.keyMark).toBe(there.markOf("anthropic"));
      expect(there.asked).toHaveLength(301);
      await there.findAll(texts);
      expect(there.asked).toHaveLength(301);
      await close();
    });

    test("what another user sends as issued does not change who issued it", async () => {
      const { db, close } = await openTestDatabase(dialect);
      const clock = { nowMs: Date.parse("2026-11-21T12:00:00Z") };
      const [here, there] = [openNode(db, clock), openNode(db, clock)];
      here.note(["resp_1"], ada);
      await here.drained();
      there.note(["resp_1"], { ...ada, userId: 8 });
      await there.drained();

      expect(await openNode(db, clock).find("resp_1")).toMatchObject({ userId: 7 });
      await close();
    });

    test("after 30 days it is forgotten", async () => {
      const { db, close } = await openTestDatabase(dialect);
      const clock = { nowMs: Date.parse("2026-11-21T12:00:00Z") };
      const node = openNode(db, clock);
      node.note(["resp_1"], ada);
      await node.drained();
      clock.nowMs += 30 * dayMs;
      node.note(["resp_2"], ada);
      await node.drained();
      await node.clean();
      expect(await openNode(db, clock).find("resp_1")).toBeDefined();
      clock.nowMs += dayMs;
      await node.clean();

      const fresh = openNode(db, clock);
      expect(await fresh.find("resp_1")).toBeUndefined();
      expect(await fresh.find("resp_2")).toBeDefined();
      await close();
    });
  });
}
