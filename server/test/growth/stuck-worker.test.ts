import { expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openLogger } from "#base/logger.ts";
import { openKeptTexts } from "#modules/transcripts/kept-texts.ts";
import type { Gathered } from "#modules/transcripts/open-transcript.ts";
import type { WorkerMode } from "#workers/messages.ts";
import { openStoreClient } from "#workers/store-client.ts";

const stuckFile = import.meta.resolve("./stuck.worker.ts");

const files: Readonly<Record<WorkerMode, string>> = {
  apart: import.meta.resolve("#workers/apart.worker.ts"),
  reader: import.meta.resolve("#workers/reader.worker.ts"),
  writer: import.meta.resolve("#workers/writer.worker.ts"),
};

/** So short that the test does not take long; a healthy task takes a few milliseconds. */
const shortTaskMs = 2_000;

/** Longer, because a query also waits for its reader to load its code. */
const shortQueryMs = 6_000;

const testMaxMs = 60_000;

async function open(taskMaxMs: number, stuck: WorkerMode = "apart") {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-client-"));
  const started: WorkerMode[] = [];
  const stores = await openStoreClient(
    { dialect: "sqlite", file: join(folder, "tollgate.db") },
    (mode) => {
      started.push(mode);
      return new Worker(mode === stuck ? stuckFile : files[mode]);
    },
    {
      onDeath(reason) {
        throw new Error(reason);
      },
      onWritten: () => {},
      behindBooks: () => undefined,
      taskMaxMs,
    },
  );
  const texts = openKeptTexts({
    store: stores.transcripts,
    key: new Uint8Array(32),
    bytesMax: () => 1_000,
    now: Date.now,
    log: openLogger("silent"),
  });
  const close = async (): Promise<void> => {
    await stores.close();
    rmSync(folder, { recursive: true });
  };
  return { stores, texts, started, close };
}

const gathered = (requestId: string): Gathered => ({
  requestId,
  userId: 7,
  formatId: "openai-chat",
  isStream: false,
  request: Buffer.from("{}"),
  answer: Buffer.from("hi"),
  bytes: 4,
});

const allLogs = {
  userId: null,
  username: "",
  lookup: null,
  tokenName: "",
  tokenId: 0,
  modelName: "",
  type: 0,
  start: 0,
  end: 0,
  channel: 0,
  group: "",
  afterId: 0,
  usageSource: "",
  quotaMin: 0,
};

const nameOf = (error: unknown): string => (error instanceof Error ? error.constructor.name : "");

const now = (): number => Math.floor(Date.now() / 1_000);

test(
  "a text that never ends being read costs none of the others, and the worker goes on",
  async () => {
    const { texts, started, close } = await open(shortTaskMs);

    expect(await texts.keep(["a", "stuck", "b"].map(gathered))).toBe(1);
    expect(await texts.read("a", now())).toMatchObject({ prompt: "{}", completion: "hi" });
    expect(await texts.read("b", now())).not.toBeNull();
    expect(await texts.keep([gathered("c")])).toBe(0);
    // One for the batch, one up to the bad text, one behind it.
    expect(started.filter((mode) => mode === "apart")).toHaveLength(3);
    await close();
  },
  testMaxMs,
);

test(
  "a worker that is stuck does not keep the gateway from ending",
  async () => {
    const { texts, close } = await open(testMaxMs);
    await texts.keep([gathered("a")]);
    const stuck = texts.keep([gathered("stuck")]).catch(nameOf);
    await Bun.sleep(100);
    await close();

    expect(await stuck).toContain("StoreUnavailable");
  },
  testMaxMs,
);

test(
  "a query that never ends costs no other one, and another reader goes on",
  async () => {
    const { stores, started, close } = await open(shortQueryMs, "reader");
    const named = async (requestId: string) =>
      (await stores.logs.sumLogs({ ...allLogs, requestId }, now())).quota;
    const stuck = named("stuck").catch(nameOf);
    const behind = ["a", "b", "c"].map(named);

    expect(await Promise.all(behind)).toEqual([0, 0, 0]);
    expect(await stuck).toContain("StoreUnavailable");
    expect(await named("d")).toBe(0);
    // The second reader is the one that is asked while the first is busy.
    const both = [named("stuck"), named("stuck")].map(async (query) => await query.catch(nameOf));
    expect(await Promise.all(both)).toEqual(["StoreUnavailable", "StoreUnavailable"]);
    expect(await Promise.all(["e", "f", "g"].map(named))).toEqual([0, 0, 0]);
    expect(started.filter((mode) => mode === "reader").length).toBeGreaterThan(3);
    await close();
  },
  testMaxMs,
);
