/** Runs alone: it expects memory to return to within 24 MiB, and collecting takes CPU time. */

import { afterAll, beforeAll, expect, test } from "bun:test";
import { balanceOf, eventually, readLogs, staysSo } from "./ledger.ts";
import { chat, isDone, isWhole, sendChat } from "./chat-call.ts";
import { addSpender, type Installation, openInstallation, type Spender } from "./installation.ts";
import { descriptorsOf, mebibyte, memoryOf, startSampler } from "./samples.ts";
import { isLong } from "./size.ts";

const opening = 1_000_000_000_000;

/** A call costs (5 + 6 × 1) × 1 = 11 quota units. */
const held = {
  name: "many-held",
  script: { promptTokens: 5, events: 6, eventDelayMs: 1_000 },
  ratio: 1,
};
const heldCharge = 11;
const left = {
  name: "many-left",
  script: { promptTokens: 5, events: 10, eventDelayMs: 30 },
  ratio: 1,
};
const soak = { name: "many-soak", script: { promptTokens: 5, events: 6 }, ratio: 1 };
const soakCharge = 11;
/** An answer of 3,200 events of 64 KB: 200 MB. */
const large = {
  name: "many-large",
  script: { promptTokens: 5, events: 3_200, pieceBytes: 65_536 },
  ratio: 0.001,
};

let place: Installation;
let spender: Spender;
beforeAll(async () => {
  place = await openInstallation("sqlite", {
    models: [held, left, large, soak],
    // The variable is removed, because the product has to raise the runtime's limit of 256 requests
    // at a time by itself.
    env: { BUN_CONFIG_MAX_HTTP_REQUESTS: undefined },
  });
  spender = await addSpender(place, opening);
});
afterAll(async () => await place.close());

/**
 * Counts the open file descriptors of the gateway, without those of idle connections to the
 * upstream.
 */
async function descriptors(): Promise<number> {
  return descriptorsOf(place.gateway().pid) - (await place.demo.connections());
}

test("600 slow streams run at once, and each is whole", async () => {
  const before = await balanceOf(spender.client);
  const running = Array.from({ length: 600 }, () =>
    chat(place.origin, { key: spender.key, model: held.name, stream: true }),
  );
  await eventually(
    () => place.demo.openCalls(),
    (count) => count === 600,
    {
      what: "streams open upstream at once",
    },
  );
  const answers = await Promise.all(running);
  expect(answers.filter((answer) => isWhole(answer, true)).length).toBe(600);
  expect(await balanceOf(spender.client)).toBe(before - 6_600); // 600 calls × 11 units
  const rows = await readLogs(place.root, { type: 2, model: held.name });
  expect(rows.length).toBe(600);
  expect(rows.every(({ quota }) => quota === heldCharge)).toBe(true);
});

const leavers = isLong ? 10_000 : 2_000;
/**
 * Allowed growth of memory: a kilobyte per stream, but at least 24 MB, because the allocator's own
 * variation is that large.
 */
const leaversBytesMax = Math.max(leavers * 1024, 24 * mebibyte);

test(`P-K2: ${leavers} streams with a client disconnect leave memory and sockets as they were`, async () => {
  const { pid } = place.gateway();
  const leaveStreams = async (count: number): Promise<void> => {
    const one = async (): Promise<void> => {
      await chat(
        place.origin,
        { key: spender.key, model: left.name, stream: true },
        { leaveWhen: ({ bodyBytes }) => bodyBytes > 600 },
      );
    };
    const batch = 40;
    for (let done = 0; done < count; done += batch) {
      await Promise.all(Array.from({ length: batch }, one));
    }
    await eventually(
      () => place.demo.openCalls(),
      (open) => open === 0,
      {
        what: "calls left open upstream",
      },
    );
  };
  // A first thousand calls run before the measurement, because memory that is taken only once is no
  // leak.
  await leaveStreams(1_000);
  const open = await descriptors();
  const memory = memoryOf(pid);
  await leaveStreams(leavers);
  const after = await eventually(
    async () => memoryOf(pid),
    (bytes) => bytes - memory < leaversBytesMax,
    { what: `resident bytes, ${memory} before` },
  );
  expect(after - memory).toBeLessThan(leaversBytesMax);
  await eventually(descriptors, (count) => count <= open + 5, { what: `files, ${open} before` });
  // The open connections are those that were in use at the same time: by a batch of calls, and by
  // answers still being read.
  expect(await place.demo.connections()).toBeLessThan(200);
  const metrics = await (await fetch(`${place.origin}/metrics`)).text();
  expect(metrics).toContain("tollgate_holds_open 0");
}, 900_000);

const soakCalls = isLong ? 1_000_000 : 4_000;
/** Calls made before the measurement, because memory that is taken only once is no leak. */
const soakWarmUp = isLong ? 100_000 : 2_000;

test(`P-L6: ${soakCalls} calls leave memory and sockets as they were`, async () => {
  const { pid } = place.gateway();
  const before = await balanceOf(spender.client);
  await callMany(soakWarmUp);
  const open = await descriptors();
  const memory = memoryOf(pid);
  await callMany(soakCalls);
  const after = await eventually(
    async () => memoryOf(pid),
    (bytes) => bytes - memory < 24 * mebibyte,
    { what: `resident bytes, ${memory} before` },
  );
  await eventually(descriptors, (count) => count <= open + 5, { what: `files, ${open} before` });
  expect(await balanceOf(spender.client)).toBe(before - soakCharge * (soakWarmUp + soakCalls));
  process.stderr.write(`soak: ${memory} → ${after} bytes, ${open} files\n`);
}, 7_200_000);

/** Makes calls over connections that are kept open, 32 at a time. Every fourth call streams. */
async function callMany(count: number): Promise<void> {
  let sent = 0;
  const run = async (): Promise<void> => {
    while (sent < count) {
      sent += 1;
      const stream = sent % 4 === 0;
      const response = await fetch(`${place.origin}/v1/chat/completions`, {
        method: "POST",
        headers: { "content-type": "application/json", authorization: `Bearer ${spender.key}` },
        body: JSON.stringify({ model: soak.name, stream, max_tokens: 6, messages }),
      });
      const text = await response.text();
      if (response.status !== 200 || (stream && !isDone(text))) throw new Error(text.slice(-500));
    }
  };
  await Promise.all(Array.from({ length: 32 }, run));
}

const messages = [{ role: "user", content: "hello" }];

/**
 * How many clients stop reading: several at the same time, so that the garbage collector's
 * variation is small compared with the limit.
 */
const stalled = 4;

test("clients that stop reading 200 MB cost 32 MB each at most", async () => {
  const { pid } = place.gateway();
  const asked = { key: spender.key, model: large.name, stream: true };
  // One call is read whole before the measurement, because the memory that the first call takes
  // stays taken.
  const read = await chat(place.origin, asked, { keptBytesMax: 0 });
  expect(read.complete).toBe(true);
  expect(read.bodyBytes).toBeGreaterThan(200_000_000);
  const before = memoryOf(pid);
  const sampler = startSampler(50, () => memoryOf(pid));
  const calls = Array.from({ length: stalled }, () => sendChat(place.origin, asked));
  // The clients pause before anything arrives, because the data that they read would be garbage in
  // the memory of this same process.
  for (const call of calls) call.pause();
  const running = await eventually(
    async () => (await place.demo.account()).calls.filter(({ open }) => open),
    (open) => open.length === stalled,
    { what: "streams open upstream" },
  );
  expect(new Set(running.map(({ model }) => model))).toEqual(new Set([large.name]));
  // While the client does not read, the gateway must not read on either, so that the upstream has
  // to wait.
  await staysSo(
    async () => (await place.demo.account()).calls.filter(({ open }) => open),
    (waiting) =>
      waiting.length === stalled &&
      waiting.every(({ completionTokens }) => completionTokens < 1_600),
    { what: "streams that wait", forMs: 4_000 },
  );
  for (const call of calls) call.leave();
  await Promise.all(calls.map(({ answer }) => answer));
  const growth = Math.max(...(await sampler.stop())) - before;
  expect(growth).toBeLessThan(stalled * 32 * mebibyte);
  const rows = await eventually(
    () => readLogs(place.root, { type: 2, model: large.name }),
    (found) => found.length === 1 + stalled,
    { what: "the charges of the stalled streams" },
  );
  expect(rows.every(({ completion_tokens: tokens }) => tokens > 0)).toBe(true);
});
