/**
 * What a stream is charged that does not end: each way to end it × each format of an upstream × each
 * format of a client, to the unit. The rows come from the registries, so a format without one fails.
 * The charges are then written to ledgers on both databases, which must hold them to the unit and
 * prove correct.
 */

import { charge, unitPrice } from "@tollgate/contract/money/charge.ts";
import type { DemoScript } from "@tollgate/demo/script.ts";
import { afterAll, afterEach, expect, test } from "bun:test";
import { eventually } from "#base/testing/waiting.ts";
import type { ChargedCallLog } from "#canonical/call-log.ts";
import { testDialects } from "#db/testing/database.ts";
import { translations } from "#formats/translation-registry.ts";
import { proveLedger } from "#modules/proof/proof.ts";
import { closeTestBooks, openTestBooks } from "#modules/ledger/testing/books.ts";
import { drainMsMax } from "#relay/call/client-disconnect.ts";
import { drainCallsMs } from "#relay/call/drain.ts";
import type { Settlement } from "#ports/hold.ts";
import type { ChannelView } from "#ports/snapshot.ts";
import { testPrices } from "#relay/testing/prices.ts";
import type { TestRelay } from "#relay/testing/relay.ts";
import { translatedClientIds } from "#test/recordings/played.ts";
import { upstreams } from "#test/sdks/upstreams.ts";
import {
  ask,
  begun,
  closeRelays,
  closeScene,
  dueUsage,
  haveCome,
  openRelays,
  openStream,
  openStreams,
  release,
  type Row,
  rows,
  type Stream,
  written,
} from "./scene.ts";

/** The settlements of all tests so far, for the ledgers. */
const settlements: Settlement[] = [];

afterEach(closeRelays);
afterAll(async () => {
  await closeScene();
  await closeTestBooks();
});

/** A way in which a stream ends, and what has come by then. */
type Ending = {
  readonly script: DemoScript;
  readonly pieces: number;
  readonly note: string;
  readonly limits?: Partial<ChannelView["limits"]>;
  readonly end?: (streams: readonly Stream[], relays: readonly TestRelay[]) => Promise<void> | void;
};

const pieces = 7;
const silence = { script: { cut: { after: pieces, how: "silence" } }, pieces } as const;

/** Changes what the snapshot says of the callers, and tells the relays. */
const change =
  (callers: Partial<TestRelay["callers"]>) =>
  (_: readonly Stream[], relays: readonly TestRelay[]): void => {
    for (const relay of relays) {
      Object.assign(relay.callers, callers);
      relay.relay.callersChanged();
    }
  };

const skip =
  (ms: number) =>
  (_: readonly Stream[], relays: readonly TestRelay[]): void => {
    for (const relay of relays) relay.skipMs += ms;
  };

/** All clients leave, and the gateways notice. */
async function leave(streams: readonly Stream[], relays: readonly TestRelay[]): Promise<void> {
  for (const stream of streams) stream.leave();
  const each = streams.length / relays.length;
  await eventually(() => relays.every(({ counts }) => counts.disconnects === each));
}

const left = "客户端断开";
const broken = "上游中断";

const endings: Readonly<Record<string, Ending>> = {
  "root stops all calls": {
    ...silence,
    note: "已由 root 停止",
    end(_, relays) {
      const root = { userId: 1, username: "root", reason: "" };
      for (const { relay } of relays) relay.running.stop({ belowRole: 101, ownId: 1 }, root);
    },
  },
  "the client leaves, and nothing more comes": {
    ...silence,
    note: left,
    async end(streams, relays) {
      await leave(streams, relays);
      skip(drainMsMax)(streams, relays);
    },
  },
  "the client leaves, and more comes in the 5 s of reading on": {
    script: { hold: 3, cut: { after: 9, how: "silence" } },
    pieces: 9,
    note: left,
    async end(streams, relays) {
      await leave(streams, relays);
      const before = written();
      await release();
      await eventually(() => written() >= before + 6 * streams.length);
      // The relays must have read what was written.
      await Bun.sleep(300);
      skip(drainMsMax)(streams, relays);
    },
  },
  "the client leaves, and the upstream breaks off": {
    script: { hold: 3, cut: { after: 9, how: "fin" } },
    pieces: 9,
    note: left,
    async end(streams, relays) {
      await leave(streams, relays);
      await release();
    },
  },
  "the upstream's connection ends": {
    script: { cut: { after: pieces, how: "fin" } },
    pieces,
    note: broken,
  },
  "the upstream's connection is reset": {
    script: { hold: pieces, cut: { after: pieces, how: "reset" } },
    pieces,
    note: broken,
    end: release,
  },
  "the upstream breaks off in front of its usage": {
    script: { events: pieces, cut: { after: "before-usage", how: "fin" } },
    pieces,
    note: broken,
  },
  "the upstream reports an error": {
    script: { errorEvent: { after: pieces, error: { message: "trouble", type: "server_error" } } },
    pieces,
    note: broken,
  },
  "the upstream stalls": {
    ...silence,
    note: broken,
    limits: { betweenChunksMs: 60_000 },
    end: skip(60_000),
  },
  "the time limit is over": {
    ...silence,
    note: broken,
    limits: { totalMs: 600_000 },
    end: skip(600_000),
  },
  "the user is disabled": {
    ...silence,
    note: "用户已被封禁，输出中止",
    end: change({ user: { status: 2 } }),
  },
  "the user is deleted": {
    ...silence,
    note: "用户已被封禁，输出中止",
    end: change({ user: null }),
  },
  "the key is disabled": {
    ...silence,
    note: "令牌已失效，输出中止",
    end: change({ token: { status: 2 } }),
  },
  "the key is deleted": {
    ...silence,
    note: "令牌已失效，输出中止",
    end: change({ token: null }),
  },
  "the key's time is set to the past": {
    ...silence,
    note: "令牌已失效，输出中止",
    end: change({ token: { expiredTime: 1 } }),
  },
  "the server stops": {
    ...silence,
    note: "服务重启，输出中止",
    end(_, relays) {
      for (const relay of relays) void relay.relay.drain();
      skip(drainCallsMs)(_, relays);
    },
  },
};

const found = unitPrice(testPrices, "m", "default");
if (found === undefined) throw new Error("the model of the tests has no price");
const price = found;

type Charged = Pick<ChargedCallLog, "interrupted" | "seenOutput" | "usage" | "usageSource"> & {
  readonly charge: number;
};

/** A line of the table, with the counts that are not 0. */
function lineOf({ row, clientId }: Stream, given: Charged): string {
  const { charge: charged, interrupted, seenOutput, usage, usageSource } = given;
  const counts = Object.entries(usage).filter(([, count]) => count !== 0);
  return [
    `${row.name} for ${clientId}: ${charged}, ${usageSource}`,
    ...counts.map(([name, count]) => `${name} ${count}`).toSorted(),
    `seen ${seenOutput}, ${interrupted}`,
  ].join(", ");
}

function chargedLine(stream: Stream): string {
  const settled = stream.settled();
  if (settled === undefined) throw new Error("the call was not charged");
  return lineOf(stream, { ...settled.log, charge: settled.charge });
}

function dueLine(stream: Stream, came: number, note: string): string {
  const usage = dueUsage(stream, came);
  return lineOf(stream, {
    charge: charge(price, usage),
    usage,
    usageSource: stream.row.told(came) === null ? "local" : "upstream+seen",
    seenOutput: came,
    interrupted: note,
  });
}

test("each format in which an upstream streams has a row", () => {
  const spoken = upstreams.flatMap(({ provider }) => Object.keys(provider.formats));
  const silent = upstreams.filter(({ streams }) => !streams).map(({ name }) => name);
  const known = new Set(spoken);
  expect(Object.keys(translations).filter((format) => !known.has(format))).toEqual([]);
  // PaLM answers in one piece, so a stream of it is whole or nothing.
  expect(silent).toEqual(["PaLM"]);
  expect(new Set(rows.map(({ upstream }) => upstream.name)).size).toBe(upstreams.length - 1);
});

for (const [name, ending] of Object.entries(endings)) {
  test(`${name}: what was reported of the prompt is charged, and the output that came`, async () => {
    const { end, limits = {}, note, script } = ending;
    const byRow = await openRelays(script, { limits });
    const relays = [...byRow.values()];
    const streams = await openStreams(byRow);
    const { cut, hold } = script;
    if (end !== undefined) {
      await haveCome(streams, Number(hold ?? cut?.after ?? 0));
      await end(streams, relays);
    }
    await eventually(() => streams.every((stream) => stream.settled() !== undefined));
    expect(streams.map(chargedLine)).toEqual(
      streams.map((stream) => dueLine(stream, ending.pieces, note)),
    );
    expect(relays.map(({ money }) => money.held)).toEqual(relays.map(() => 0));
    settlements.push(...relays.flatMap(({ money }) => money.settled));
  });
}

test("the client leaves before the first word: what was reported of the prompt is charged", async () => {
  const byRow = await openRelays({ cut: { after: 0, how: "silence" } });
  const relays = [...byRow.values()];
  const before = begun();
  const leaving = new AbortController();
  for (const relay of relays) {
    for (const clientId of translatedClientIds) void ask({ clientId, relay }, leaving.signal);
  }
  await eventually(() => begun() === before + relays.length * translatedClientIds.length);
  // The relays must have read what was written.
  await Bun.sleep(300);
  leaving.abort();
  await eventually(() =>
    relays.every(({ counts }) => counts.disconnects === translatedClientIds.length),
  );
  skip(drainMsMax)([], relays);
  await eventually(() =>
    relays.every(({ money }) => money.settled.length === translatedClientIds.length),
  );
  const chargesOf = ([row, relay]: readonly [Row, TestRelay]): string =>
    `${row.name}: ${relay.money.settled
      .map((one) => one.charge)
      .toSorted((a, b) => a - b)
      .join(" ")}`;
  const dueOf = ([row]: readonly [Row, TestRelay]): string => {
    const due = translatedClientIds.map((clientId) =>
      charge(price, dueUsage({ row, clientId }, 0)),
    );
    return `${row.name}: ${due.toSorted((a, b) => a - b).join(" ")}`;
  };
  expect([...byRow].map(chargesOf)).toEqual([...byRow].map(dueOf));
  settlements.push(...relays.flatMap(({ money }) => money.settled));
});

/** Quota units for 700 tokens of output, and what the prompt costs. */
const outputBalance = 700 * 8;

/** What the upstreams of this test report of the prompt: 2 tokens, and 4 of a cache. */
const smallPrompt = { promptTokens: 6, cachedTokens: 4 };

/** Whether the upstream reports that prompt, and not one of its own. */
const isSmall = ([{ script }]: readonly [Row, TestRelay]): boolean =>
  script.usageFirst === undefined;

for (const clientId of translatedClientIds) {
  test(`the balance is used up: ${clientId} is served no more in six calls than is charged`, async () => {
    const script = { neverEnd: true, ignoreMaxTokens: true, ...smallPrompt };
    const relays = await openRelays(script, { balance: outputBalance + 100 });
    const bills = [...relays].filter(isSmall).map(async ([row, relay]) => {
      let served = 0;
      for (let call = 0; call < 6; call += 1) {
        const stream = await openStream({ row, relay, clientId });
        await eventually(stream.hasEnded);
        served += stream.pieces();
      }
      const charged = outputBalance + 100 - relay.money.balance;
      const isPaid = served * 8 <= charged && relay.money.balance >= 0;
      return `${row.name}: ${served > 0 ? "served" : "not served"}, ${isPaid ? "paid" : `${served} tokens for ${charged}`}`;
    });
    expect(await Promise.all(bills)).toEqual(
      [...relays].filter(isSmall).map(([{ name }]) => `${name}: served, paid`),
    );
  });
}

test("the balance is used up by a prompt that is larger than was held for it: no output beyond it", async () => {
  // A prompt of which upstreams report 5,000 tokens and clients have sent one word.
  const promptCharge = 6_000;
  const script = { neverEnd: true, ignoreMaxTokens: true };
  const balance = promptCharge + outputBalance;
  const early = rows.filter((row) => row.told(1)?.cacheRead === 4_000);
  expect(early.map(({ name }) => name)).toEqual([
    "messages",
    "Invoke of Claude",
    "chat, counting at once",
    "generateContent, counting at once",
  ]);
  for (const clientId of translatedClientIds) {
    const relays = await openRelays(script, { balance });
    const bills = early.map(async (row) => {
      const relay = relays.get(row);
      if (relay === undefined) throw new Error(`${row.name} has no relay`);
      const stream = await openStream({ row, relay, clientId });
      await eventually(stream.hasEnded);
      const most = (relay.money.settled[0]?.charge ?? 0) <= balance + reasoningCharge(row);
      return [row.name, clientId, stream.pieces() > 600, stream.pieces() <= 701, most];
    });
    expect(await Promise.all(bills)).toEqual(
      early.map(({ name }) => [name, clientId, true, true, true]),
    );
    await closeRelays();
  }
});

/** What hidden reasoning costs, which nobody is served. */
const reasoningCharge = (row: Row): number => (row.told(1)?.reasoning ?? 0) * 8;

for (const dialect of testDialects) {
  test(`the ledger on ${dialect} holds each charge to the unit, and proves correct`, async () => {
    expect(settlements.length).toBe((Object.keys(endings).length + 1) * rows.length * 4);
    const books = await openTestBooks(dialect);
    const userId = await books.addUser("ada", 2_000_000_000);
    const version = await books.addPrices(testPrices);
    const operations = settlements.map(({ charge: due, log }) => ({
      type: "settle" as const,
      id: log.requestId,
      tokenLimited: false,
      charge: due,
      charged: null,
      log: { ...log, userId, tokenId: 0, priceVersion: version },
    }));
    for (let at = 0; at < operations.length; at += 200) {
      await books.apply(operations.slice(at, at + 200));
    }
    const stored = await books.db
      .selectFrom("logs")
      .select(["request_id", "quota", "seen_output", "usage_source", "completion_tokens"])
      .where("type", "=", 2)
      .execute();
    const byId = new Map(stored.map((row) => [row.request_id, row]));
    expect(
      settlements.map(({ log }) => {
        const row = byId.get(log.requestId);
        return [row?.quota, row?.seen_output, row?.usage_source];
      }),
    ).toEqual(settlements.map(({ charge: due, log }) => [due, log.seenOutput, log.usageSource]));
    const proof = await proveLedger(books.db);
    expect([proof.flaw, proof.warnings]).toEqual([null, []]);
  });
}
