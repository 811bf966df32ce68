import { expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openLogger } from "#base/logger.ts";
import { openKeptTexts } from "#modules/transcripts/kept-texts.ts";
import type { Gathered } from "#modules/transcripts/open-transcript.ts";
import type { WorkerMode } from "#workers/messages.ts";
import { openStoreClient } from "#workers/store-client.ts";

const files: Readonly<Record<WorkerMode, string>> = {
  apart: import.meta.resolve("./stuck.worker.ts"),
  reader: import.meta.resolve("#workers/reader.worker.ts"),
  writer: import.meta.resolve("#workers/writer.worker.ts"),
};

/** So short that the test does not take long; a healthy task takes a few milliseconds. */
const shortTaskMs = 2_000;

const testMaxMs = 60_000;

async function open(taskMaxMs: number) {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-client-"));
  const started: WorkerMode[] = [];
  const stores = await openStoreClient(
    { dialect: "sqlite", file: join(folder, "tollgate.db") },
    (mode) => {
      started.push(mode);
      return new Worker(files[mode]);
    },
    {
      onDeath(reason) {
        throw new Error(reason);
      },
      onWritten: () => {},
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
  return { texts, started, close };
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
