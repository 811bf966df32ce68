/** Runs alone: it measures how much memory grows while many streams begin at the same time. */

import { afterAll, beforeAll, expect, test } from "bun:test";
import { chat, sendChat } from "./chat-call.ts";
import { addSpender, type Installation, openInstallation, type Spender } from "./installation.ts";
import { eventually } from "./ledger.ts";
import type { RawCall } from "./raw-call.ts";
import { memoryOf, startSampler } from "./samples.ts";

const opening = 1_000_000_000_000;
/** Streams of small events, as models send them: one that ends, and one that never does. */
const short = {
  name: "stalled-short",
  script: { promptTokens: 5, events: 4_000, ignoreMaxTokens: true },
  ratio: 0.001,
};
const endless = {
  name: "stalled-endless",
  script: { promptTokens: 5, events: 1_000_000_000, ignoreMaxTokens: true },
  ratio: 0.001,
};

const readers = 200;
const begunAtOnce = 50;
const growthMax = 60_000_000;
/** After this many reads without a change, 50 ms apart, the streams count as stalled. */
const stalledReads = 20;

let place: Installation;
let spender: Spender;
beforeAll(async () => {
  place = await openInstallation("sqlite", { models: [short, endless] });
  spender = await addSpender(place, opening);
});
afterAll(async () => await place.close());

/**
 * Waits until so many streams are open upstream. Gives up after a while, because on a busy machine
 * the product refuses some calls.
 */
async function openedOrRefused(count: number): Promise<void> {
  const isOpen = (open: number): boolean => open >= count;
  const waits = { what: "open streams", maxMs: 2_000 };
  await eventually(() => place.demo.openCalls(), isOpen, waits).catch(() => undefined);
}

// What a stalled reader costs must not depend on when garbage is collected next, because that may
// be minutes later. The test does not wait for a collection and does not request one.
test(`${readers} clients that stop reading cost 60 MB in all, also before a collection`, async () => {
  const { pid } = place.gateway();
  const asked = { key: spender.key, model: endless.name, stream: true };
  // The memory that the first calls take is not measured.
  for (let call = 0; call < 3; call += 1) {
    const read = await chat(place.origin, { ...asked, model: short.name }, { keptBytesMax: 0 });
    expect(read.complete).toBe(true);
  }
  const before = memoryOf(pid);
  const sampler = startSampler(20, () => memoryOf(pid));
  const calls: RawCall[] = [];
  for (let open = 0; open < readers; open = await place.demo.openCalls()) {
    const missing = Math.min(begunAtOnce, readers - open);
    for (let begun = 0; begun < missing; begun += 1) {
      const call = sendChat(place.origin, asked);
      call.pause();
      calls.push(call);
    }
    await openedOrRefused(open + missing);
  }
  let sentBefore = -1;
  let readsAlike = 0;
  // The upstream can send no more, because all that it sends waits for the clients.
  await eventually(
    async () => {
      const account = await place.demo.account();
      const open = account.calls.filter((call) => call.open && call.model === endless.name);
      const sent = open.reduce((sum, { completionTokens }) => sum + completionTokens, 0);
      readsAlike = open.length >= readers && sent === sentBefore ? readsAlike + 1 : 0;
      sentBefore = sent;
      return { open: open.length, sent, readsAlike };
    },
    (streams) => streams.readsAlike === stalledReads,
    { what: "streams that all wait for their clients", maxMs: 150_000 },
  );
  const growth = Math.max(...(await sampler.stop())) - before;
  for (const call of calls) call.leave();
  await Promise.all(calls.map(({ answer }) => answer));
  process.stderr.write(`${readers} stalled readers: ${Math.round(growth / 1e6)} MB\n`);
  expect(growth).toBeLessThan(growthMax);
});
