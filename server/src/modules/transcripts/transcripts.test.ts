import { describe, expect, test } from "bun:test";
import { openLogger } from "#base/logger.ts";
import { openSecrets } from "#base/secrets.ts";
import type { Dialect } from "#db/dialect.ts";
import { bindStore } from "#db/store.ts";
import { openTestDatabase, testDialects } from "#db/testing/database.ts";
import { heldBytesMax } from "./open-transcript.ts";
import { transcriptsModule } from "./transcripts.module.ts";
import type { TranscriptTable } from "./transcripts.repo.ts";
import { transcriptStore } from "./transcripts.store.ts";

const dayMs = 86_400_000;

/** Opens the module over a database. Its clock and options are set by the tests. */
async function open(dialect: Dialect) {
  const { db, close } = await openTestDatabase(dialect);
  const clock = { nowMs: Date.parse("2026-11-21T12:00:00Z") };
  const values: Record<string, unknown> = {
    LogContentEnabled: true,
    LogContentMaxBytes: 65_536,
    LogContentDays: 7,
    LogRetentionDays: "0",
  };
  const store = bindStore(transcriptStore, db);
  const gate = { isClosed: false };
  const keep: typeof store.keep = async (...input) => {
    if (gate.isClosed) throw new Error("the store is away");
    return await store.keep(...input);
  };
  const module = transcriptsModule.open({
    store: { ...store, keep },
    options: { read: (name: string) => values[name] },
    secrets: openSecrets("0123456789abcdef".repeat(4)),
    clock: { now: () => clock.nowMs, elapsed: () => clock.nowMs },
    log: openLogger("silent"),
    // Safe cast: the module reads nothing else.
  } as unknown as Parameters<typeof transcriptsModule.open>[0]);
  const { face } = module;
  const call = (id: string, userId = 7, text = "hello"): void => {
    const transcript = face.open();
    transcript.add(`answer to ${text}`);
    const request = Buffer.from(JSON.stringify({ text }));
    const end = { requestId: id, userId, formatId: "openai-chat", isStream: false, request };
    transcript.end(end);
  };
  const read = async (id: string, ageDays = 0) =>
    await face.read(id, Math.floor(clock.nowMs / 1_000) - ageDays * 86_400);
  const clean = async (): Promise<void> => await module.jobs[0]?.run();
  return { db, face, call, read, clean, clock, values, gate, close };
}

for (const dialect of testDialects) {
  describe(`texts of calls on ${dialect}`, () => {
    test("a text is stored after its call has ended, and read under its call alone", async () => {
      const { face, call, read, close } = await open(dialect);
      call("a", 7, "first");
      call("b", 7, "second");
      await face.drained();

      expect(await read("a")).toMatchObject({
        prompt: '{"text":"first"}',
        completion: "answer to first",
        promptBytes: 16,
      });
      expect((await read("b"))?.completion).toBe("answer to second");
      expect(await read("c")).toBeNull();
      await close();
    });

    test("a stored text does not open in the place of another", async () => {
      const { db, face, call, read, close } = await open(dialect);
      call("a", 7, "first");
      call("b", 7, "second");
      await face.drained();
      const tables = db.withTables<{ transcripts: TranscriptTable }>();
      const rows = await tables.selectFrom("transcripts").selectAll().execute();
      const [first, second] = rows;
      expect(JSON.stringify(rows)).not.toContain("first");
      await tables
        .updateTable("transcripts")
        .set({ prompt: second?.prompt ?? Buffer.of() })
        .where("request_id", "=", first?.request_id ?? "")
        .execute();

      expect(read(first?.request_id ?? "")).rejects.toThrow("sealed for another place");
      await close();
    });

    test("texts go by whole days, and never later than the log rows", async () => {
      const { face, call, read, clean, clock, values, close } = await open(dialect);
      for (const id of ["old", "middle", "new"]) {
        call(id);
        await face.drained();
        clock.nowMs += 4 * dayMs;
      }
      await clean();
      expect(await read("old", 12)).toBeNull();
      expect(await read("middle", 8)).toBeNull();
      expect(await read("new", 4)).not.toBeNull();

      values["LogRetentionDays"] = "30";
      expect(face.days()).toBe(7);
      values["LogRetentionDays"] = "7";
      values["LogContentDays"] = 90;
      expect(face.days()).toBe(7);
      clock.nowMs += 4 * dayMs;
      await clean();
      expect(await read("new", 8)).toBeNull();
      await close();
    });

    test("the texts of removed users go, and with a cleaning those from before its time", async () => {
      const { face, call, read, clock, close } = await open(dialect);
      call("mine", 7);
      call("theirs", 8);
      await face.drained();
      clock.nowMs += 3_600_000;
      call("later", 8);
      await face.drained();

      await face.forgetUsers([7]);
      expect([await read("mine"), await read("theirs")]).toMatchObject([null, {}]);
      await face.removeBefore(Math.floor(clock.nowMs / 1_000));
      expect([await read("theirs"), await read("later")]).toMatchObject([null, {}]);
      expect(await face.removeAll()).toBe(1);
      expect(await read("later")).toBeNull();
      await close();
    });

    test("a text of a call that ends after texts were turned off is not stored", async () => {
      const { face, call, read, values, close } = await open(dialect);
      values["LogContentEnabled"] = false;
      call("off");
      values["LogContentEnabled"] = true;
      call("on");
      await face.drained();

      expect([await read("off"), await read("on")]).toMatchObject([null, {}]);
      expect(face.dropped()).toBe(0);
      await close();
    });

    test("when the store is behind or away, texts are dropped and counted", async () => {
      const { face, call, read, gate, close } = await open(dialect);
      gate.isClosed = true;
      call("lost");
      await face.drained();
      expect(face.dropped()).toBe(1);
      gate.isClosed = false;

      const big = face.open();
      for (let mega = 0; mega < 7; mega += 1) big.add(new Uint8Array(1024 * 1024));
      const others = Array.from({ length: heldBytesMax / (8 * 1024 * 1024) }, () => face.open());
      for (const other of others) other.add(new Uint8Array(8 * 1024 * 1024));
      const end = { userId: 7, formatId: "openai-chat", isStream: false };
      const request = Buffer.from("{}");
      for (const [index, other] of others.entries()) {
        other.end({ ...end, requestId: `many-${index}`, request });
      }
      big.end({ ...end, requestId: "big", request });
      await face.drained();
      expect(face.dropped()).toBeGreaterThan(1);

      // What was dropped leaves no room taken.
      call("after");
      await face.drained();
      expect(await read("after")).not.toBeNull();
      await close();
    });
  });
}
