/**
 * Tests on three built nodes that conversations stay where their prompts are cached, that faults of a
 * key or a model leave the others alone, and what a conversation's page, its links and the dashboard
 * say of it.
 */

import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import type {
  Conversation,
  SharedConversation,
} from "@tollgate/contract/endpoints/conversations.ts";
import type { DashboardPromptCaches } from "@tollgate/contract/endpoints/dashboard.ts";
import { jsonAnswer } from "#network/testing/upstream.ts";
import {
  type CachingUpstream,
  hitShare,
  messagesOf,
  startCachingUpstream,
} from "#relay/testing/caching-upstream.ts";
import { addChannel, type ConsoleClient } from "#test/console.ts";
import { type Cluster, openCluster, quick } from "./cluster-scene.ts";
import { addSpender, setOption, type Spender } from "./installation.ts";
import { eventually, readLogs, readSelf } from "./ledger.ts";
import { isLong } from "./size.ts";

setDefaultTimeout(300_000);

const model = "place-model";
/** The models of each script of faults, which has channels of its own: the broken one, and another. */
const brokenModel = (script: number): string => `place-broken-${script}`;
const otherModel = (script: number): string => `place-other-${script}`;
const channels = 4;
const keys = 5;
const quota = 100_000_000;

let cluster: Cluster;
let upstream: CachingUpstream;
let spender: Spender;
let origins: readonly string[];
let root: ConsoleClient;
let username: string;

beforeAll(async () => {
  upstream = await startCachingUpstream();
  cluster = await openCluster([quick]);
  const { place } = cluster;
  root = place.root;
  const offered = [[model], ...scripts.map((_, at) => [brokenModel(at), otherModel(at)])];
  const each = (ratio: number) =>
    JSON.stringify(Object.fromEntries(offered.flat().map((name) => [name, ratio])));
  await setOption(root, "ModelRatio", each(2));
  await setOption(root, "CacheRatio", each(0.1));
  await setOption(root, "RetryTimes", "4");
  for (let at = 1; at <= channels * offered.length; at += 1) {
    await addChannel(root, {
      base_url: upstream.urlOf(at),
      models: (offered[Math.floor((at - 1) / channels)] ?? []).join(","),
      key: Array.from({ length: keys }, (_, count) => `sk-${at}-${count}`).join("\n"),
      keys: Array.from({ length: keys }, (_, count) => `sk-${at}-${count}`),
      auto_ban: 0,
    });
  }
  const nodes = [await cluster.addNode(), await cluster.addNode()];
  origins = [place.origin, ...nodes.map(({ origin }) => origin)];
  spender = await addSpender(place, quota);
  ({ username } = await readSelf(spender.client));
  for (const origin of origins) {
    await eventually(
      async () => (await fetch(`${origin}/v1/models`, { headers: bearer() })).status,
      (status) => status === 200,
      { what: "the node knows the key" },
    );
  }
});
afterAll(async () => {
  await cluster.close();
  await upstream.stop();
});

const bearer = () => ({ authorization: `Bearer ${spender.key}` });

/** Makes a turn; each of a conversation goes to another node. */
async function ask(name: string, turn: number, named = model): Promise<number> {
  const origin = origins[turn % origins.length] ?? "";
  const response = await fetch(`${origin}/v1/chat/completions`, {
    method: "POST",
    headers: { ...bearer(), "x-session-id": name },
    body: JSON.stringify({ model: named, messages: messagesOf(name, turn) }),
  });
  await response.text();
  return response.status;
}

async function talk(all: readonly string[], turns: readonly number[], named = model) {
  const failed: number[] = [];
  for (const turn of turns) {
    for (let from = 0; from < all.length; from += 20) {
      const some = all.slice(from, from + 20);
      const statuses = await Promise.all(some.map(async (name) => await ask(name, turn, named)));
      failed.push(...statuses.filter((status) => status !== 200));
    }
  }
  return failed;
}

const upTo = (count: number): number[] => Array.from({ length: count }, (_, at) => at + 1);
const named = (word: string, count: number): string[] => upTo(count).map((at) => `${word} ${at}`);

/** How many conversations are held over all nodes, and how long they are. */
const size = isLong ? { conversations: 200, turns: 30 } : { conversations: 100, turns: 12 };

test("conversations whose turns go to three nodes hit the caches as if each had its own", async () => {
  expect(await talk(named("talk", size.conversations), upTo(size.turns))).toEqual([]);
  const share = hitShare(upstream.turns.values());
  if (isLong) process.stdout.write(`${(share * 100).toFixed(2)} % of what caches could have had\n`);
  expect(share).toBeGreaterThanOrEqual(0.97);
  const used = new Set([...upstream.turns.values()].map(([turn]) => turn?.key));
  expect(used.size, "the keys that conversations are spread over").toBeGreaterThan(15);
});

const broken = jsonAnswer('{"error":{"message":"broken"}}', "500 Broken");
const busy = (head = "") =>
  jsonAnswer('{"error":{"message":"slow down"}}', "429 Busy").replace("\r\n", `\r\n${head}`);
const revoked = jsonAnswer('{"error":{"message":"no such key"}}', "401 Unauthorized");

/** Where a conversation is that is hit, which the fault is chosen by. */
type Place = { readonly channel: number; readonly key: string };

const scripts = [
  {
    what: "a key that asks for 30 s",
    answer: (hit: Place, { key }: Place) => (key === hit.key ? busy("retry-after: 30\r\n") : null),
    ofChannel: false,
  },
  {
    what: "a key that is too busy and says no time",
    answer: (hit: Place, { key }: Place) => (key === hit.key ? busy() : null),
    ofChannel: false,
  },
  {
    what: "one key of five that is revoked",
    answer: (hit: Place, { key }: Place) => (key === hit.key ? revoked : null),
    ofChannel: false,
  },
  {
    what: "one model of a channel that is broken",
    answer: (hit: Place, { channel }: Place, asked: string) =>
      channel === hit.channel && asked.startsWith("place-broken") ? broken : null,
    ofChannel: true,
  },
] as const;

for (const [at, { answer, ofChannel, what }] of scripts.entries()) {
  test(`${what} leaves all others where they are, and every turn is answered`, async () => {
    const all = named(`script ${at}`, 40);
    const beside = named(`beside ${at}`, 20);
    expect(await talk(all, [1, 2], brokenModel(at))).toEqual([]);
    expect(await talk(beside, [1, 2], otherModel(at))).toEqual([]);
    const hit = upstream.turns.get(all[0] ?? "")?.[0];
    if (hit === undefined) throw new Error("the first conversation has no place");
    let failed = 0;
    let asked = 0;
    upstream.fail = (channel, key, name) => {
      asked += 1;
      const failure = answer(hit, { channel, key }, name);
      if (failure !== null) failed += 1;
      return failure;
    };
    expect(await talk(all, [3, 4, 5, 6, 7], brokenModel(at))).toEqual([]);
    expect(await talk(beside, [3, 4], otherModel(at))).toEqual([]);
    upstream.fail = null;

    const placesOf = (name: string) =>
      (upstream.turns.get(name) ?? []).map(({ channel, key }) => `${channel} ${key}`);
    const mayMove = (place: string | undefined): boolean =>
      ofChannel
        ? place?.startsWith(`${hit.channel} `) === true
        : place === `${hit.channel} ${hit.key}`;
    for (const name of all) {
      const places = placesOf(name);
      expect(mayMove(places[0]) || new Set(places).size === 1, `${name} stays`).toBe(true);
    }
    for (const name of ofChannel ? beside : []) {
      expect(new Set(placesOf(name)).size, `${name} asks for another model`).toBe(1);
    }
    expect(failed, "attempts that failed, on three nodes").toBeGreaterThan(0);
    expect(failed / asked, "within the budget of retries").toBeLessThan(0.25);
  });
}

test("a conversation's page sums its turns to the unit, and says what its move cost", async () => {
  const name = "told";
  expect(await talk([name], upTo(20).slice(11))).toEqual([]);
  const home = upstream.turns.get(name)?.[0]?.channel;
  upstream.fail = (channel) => (channel === home ? broken : null);
  expect(await talk([name], [21, 22])).toEqual([]);
  upstream.fail = null;
  // Other nodes see within a second what one of them was told.
  const [row] = await cluster.queryBooks<{ id: string }>(
    "select conversation_id as id from logs where model_name = $1 order by logs.id desc limit 1",
    [model],
  );
  const id = Number(row?.id);
  const [own] = await cluster.queryBooks<Record<"calls" | "quota" | "user_id", string>>(
    `select count(*) as calls, sum(quota) as quota, max(user_id) as user_id from logs
     where conversation_id = $1`,
    [id],
  );
  const told = await spender.client.call<Conversation>("GET", `/api/conversation/${id}`);
  expect([told.sums.calls, told.sums.quota]).toEqual([Number(own?.calls), Number(own?.quota)]);
  expect(told.sums.calls).toBe(11);
  expect(told.sums.moved_quota).toBeGreaterThan(0);
  expect(told.turns.map(({ moved_quota }) => moved_quota > 0)).toEqual(
    upTo(11).map((turn) => turn === 10),
  );
  expect(
    told.turns.every(({ channel, channel_name }) => channel === 0 && channel_name === ""),
  ).toBe(true);
  expect(told.sums.cached_tokens).toBe(
    told.turns.reduce((sum, turn) => sum + turn.cached_tokens, 0),
  );

  const stranger = await addSpender(cluster.place, quota);
  await expect(stranger.client.call("GET", `/api/conversation/${id}`)).rejects.toThrow();
  const seen = await root.call<Conversation>("GET", `/api/conversation/${id}`);
  expect(seen.username).toBe(username);
  expect(new Set(seen.turns.map(({ channel }) => channel)).size).toBe(2);

  const caches = await spender.client.call<DashboardPromptCaches>(
    "GET",
    "/api/dashboard/caches/self",
  );
  const [sums] = await cluster.queryBooks<{ moved: string }>(
    "select sum(moved_quota) as moved from logs where user_id = $1",
    [own?.user_id],
  );
  expect(caches.moved_quota).toBe(Number(sums?.moved));
  expect(caches.cached_tokens).toBeGreaterThan(told.sums.cached_tokens);
  expect([caches.users, caches.channels]).toEqual([null, null]);
  const wide = await root.call<DashboardPromptCaches>("GET", "/api/dashboard/caches");
  expect(wide.moved_quota).toBe(caches.moved_quota);
  expect(wide.users?.[0]?.name).toBe(username);
  expect(wide.channels?.reduce((sum, part) => sum + part.moved_quota, 0)).toBe(wide.moved_quota);
});

test("a link shows the figures and nothing that says whose they are, until it is revoked", async () => {
  const [row] = await readLogs(root, { type: 2, username, rowsMax: 1 });
  const id = row?.conversation_id ?? 0;
  const { client } = spender;
  const stranger = await addSpender(cluster.place, quota);
  type Made = { readonly id: number; readonly secret: string };
  const path = `/api/conversation/${id}/links`;
  await expect(stranger.client.call("POST", path, { days: 1 })).rejects.toThrow();
  const made = await client.call<Made>("POST", path, { days: 1 });
  const open = async (secret: string) => {
    const response = await fetch(`${origins[1]}/api/conversation/shared`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ secret }),
    });
    return await response.text();
  };
  const text = await open(made.secret);
  // Safe cast: the contract of `readSharedConversation`.
  const { data } = JSON.parse(text) as { data: SharedConversation };
  expect(data.turns.length).toBeGreaterThan(0);
  for (const hidden of [username, row?.request_id, row?.token_name, "channel"]) {
    expect(text).not.toContain(hidden ?? "");
  }
  expect(await open(`${made.secret}0`)).not.toContain("turns");
  const page = await fetch(`${origins[1]}/shared`);
  expect(page.headers.get("x-robots-tag")).toContain("noindex");

  await expect(
    stranger.client.call("DELETE", `/api/conversation/link/${made.id}`),
  ).rejects.toThrow();
  expect(await open(made.secret)).toContain("turns");
  await client.call("DELETE", `/api/conversation/link/${made.id}`);
  expect(await open(made.secret)).not.toContain("turns");

  const again = await client.call<Made>("POST", path, { days: 1 });
  await cluster.query("update conversation_links set expires_at = 1 where id = $1", [again.id]);
  expect(await open(again.secret)).not.toContain("turns");
  expect(await client.call<unknown[]>("GET", path)).toEqual([]);
});
