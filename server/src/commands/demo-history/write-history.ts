/**
 * Writes the made-up calls of a demo: people, keys and charges go through the functions that write
 * real ones, with times in the past, so that the books of a demo prove themselves as any others.
 */

import { charge, unitPrice } from "@tollgate/contract/money/charge.ts";
import { role } from "@tollgate/contract/endpoints/users.ts";
import { randomText, type Secrets } from "#base/secrets.ts";
import { attemptCounts, bucketOf, firstByteBuckets } from "#canonical/attempts.ts";
import type { CallLog, ChargedCallLog } from "#canonical/call-log.ts";
import { systemActor } from "#modules/audit/audit.ts";
import type { Money } from "#modules/ledger/ledger.ts";
import type { OpenLedger } from "#modules/ledger/open-ledger.ts";
import type { ConfigView } from "#modules/module.ts";
import { defaultSettings } from "#modules/tokens/setting-columns.ts";
import { keyColumns } from "#modules/tokens/tokens.ts";
import { makeLogPrice } from "#relay/plan.ts";
import type { RemoteStores } from "#workers/store-client.ts";
import {
  agentTool,
  batchKey,
  type Fault,
  type MadeUpCall,
  madeUpCalls,
  people,
} from "./made-up-calls.ts";

/** What the gateway lends for this. */
export type HistoryPorts = {
  readonly stores: Pick<RemoteStores, "channelStatistics" | "tokens" | "users">;
  readonly ledger: Pick<OpenLedger, "holds">;
  readonly money: Money;
  readonly secrets: Secrets;
  readonly snapshot: Pick<ConfigView, "prices">;
  readonly applyChanges: () => Promise<void>;
};

const group = "default";
const daySeconds = 86_400;
const hourSeconds = 3_600;

/** The people joined so many days ago, each with so many quota units: forty dollars. */
const joinedDays = 31;
const startQuota = 20_000_000;

/** An address that belongs to nobody (RFC 5737). */
const clientIp = "203.0.113.";

/** How many calls are written at the same time. */
const atOnce = 100;

/** The lengths of a key and of an invite code. */
const keyLength = 48;
const codeLength = 12;

type Made = { readonly userId: number; readonly tokenIds: readonly number[] };

/**
 * Writes the history, unless an earlier start has.
 *
 * @param channels the ids of the demo's channels, by their models.
 * @param isWanted asked before each part; false: the rest is left out.
 * @returns how many calls were made; 0: there were some before.
 */
export async function writeHistory(
  ports: HistoryPorts,
  channels: ReadonlyMap<string, number>,
  nowMs: number,
  isWanted: () => boolean,
): Promise<number> {
  const first = people[0]?.username ?? "";
  if ((await ports.stores.users.findByName(first)) !== undefined) return 0;
  const joinedMs = nowMs - joinedDays * daySeconds * 1_000;
  const made: Made[] = [];
  for (const person of people) made.push(await addPerson(ports, person, joinedMs));
  await ports.applyChanges();
  const calls = madeUpCalls(Math.floor(nowMs / 1_000)).filter(({ model }) => channels.has(model));
  for (let from = 0; from < calls.length; from += atOnce) {
    if (!isWanted()) return from;
    const some = calls.slice(from, from + atOnce);
    await Promise.all(some.map(async (call) => await writeCall(ports, call, { made, channels })));
  }
  await writeAttempts(ports, calls, channels);
  return calls.length;
}

async function addPerson(
  { stores, money, secrets }: HistoryPorts,
  { username, displayName, habits }: (typeof people)[number],
  nowMs: number,
): Promise<Made> {
  const userId = await stores.users.createUser(systemActor, {
    username,
    display_name: displayName,
    language: "",
    // Nobody signs in as somebody who does not exist.
    password_hash: "",
    role: role.enum.user,
    group,
    affCodes: [randomText(codeLength)],
    quota: startQuota,
    cause: "gift:{id}",
    logText: "演示数据：虚构用户的起始余额",
    nowMs,
  });
  money.openedUser(userId, startQuota);
  const tokenIds: number[] = [];
  for (const { key: name } of habits) {
    const key = randomText(keyLength);
    const named = { ...defaultSettings, name, unlimited_quota: 1, expired_time: -1, group };
    const owned = { user_id: userId, ...keyColumns(secrets, userId, key) };
    const token = await stores.tokens.createToken(
      { ...named, ...owned, granted: 0, ownedMax: habits.length },
      { actor: systemActor, owner: null, nowMs },
    );
    money.openedToken(token.id, 0);
    tokenIds.push(token.id);
  }
  return { userId, tokenIds };
}

type Whose = {
  readonly made: readonly Made[];
  readonly channels: ReadonlyMap<string, number>;
};

async function writeCall(
  { ledger, snapshot }: HistoryPorts,
  call: MadeUpCall,
  whose: Whose,
): Promise<void> {
  const log = logOf(call, whose);
  if (call.fault !== null) {
    ledger.holds.recordFailure({ ...log, firstByteMs: null, fault: "", ...faults[call.fault] });
    return;
  }
  const { id: priceVersion, list } = snapshot.prices;
  const price = unitPrice(list, call.model, group);
  if (price === undefined) return;
  const due = charge(price, call.usage);
  const { userId, tokenId } = log;
  const facts = { id: call.id, userId, tokenId, tokenLimited: false, group };
  const want = { modelName: call.model, want: due, least: due };
  const answer = await ledger.holds.reserve({ ...facts, ...want });
  if (answer.kind !== "held") return;
  const charged: ChargedCallLog = {
    ...log,
    usage: call.usage,
    usageSource: "upstream",
    seenOutput: call.usage.output,
    priceVersion,
    price: makeLogPrice(list, call.model, group),
    cost: null,
    costVersion: 0,
    reportedCost: "",
    interrupted: "",
    doubt: "",
    hiddenOutput: false,
  };
  await answer.hold.settle({ charge: due, log: charged });
}

function logOf(call: MadeUpCall, { made, channels }: Whose): CallLog {
  const person = people[call.person];
  const owner = made[call.person];
  return {
    requestId: call.id,
    createdAt: call.at,
    userId: owner?.userId ?? 0,
    username: person?.username ?? "",
    tokenId: owner?.tokenIds[call.habit] ?? 0,
    tokenName: person?.habits[call.habit]?.key ?? "",
    tried: [channels.get(call.model) ?? 0],
    modelName: call.model,
    upstreamModel: "",
    group,
    useTimeSeconds: call.seconds,
    firstByteMs: call.firstByteMs,
    isStream: true,
    clientIp: `${clientIp}${10 + call.person}`,
    effort: "",
    losses: [],
    ...(call.conversation === 0 ? {} : { conversation_id: call.conversation }),
    ...(call.usesTool ? { tool_names: JSON.stringify([agentTool]) } : {}),
    ...(person?.habits[call.habit]?.key === batchKey ? { tags: ["batch"] } : {}),
  };
}

/** What the client of a failed call got. */
const faults: Readonly<Record<Fault, { status: number; error: ErrorOf }>> = {
  "http-429": { status: 429, error: error("rate_limit_exceeded", "演示数据：上游限流") },
  "http-502": { status: 502, error: error("http-502", "演示数据：上游故障") },
  timeout: { status: 504, error: error("timeout", "演示数据：上游超时") },
};

type ErrorOf = { readonly type: string; readonly code: string; readonly message: string };

function error(code: string, message: string): ErrorOf {
  return { type: "upstream_error", code, message };
}

/** What each fault counts as. */
const countedAs = {
  "http-429": "failed_limit",
  "http-502": "failed_server",
  timeout: "failed_network",
} as const satisfies Readonly<Record<Fault, (typeof attemptCounts)[number]>>;

/** Counts the attempts at the channels, by hour and model. */
async function writeAttempts(
  { stores }: HistoryPorts,
  calls: readonly MadeUpCall[],
  channels: ReadonlyMap<string, number>,
): Promise<void> {
  const hours = new Map<number, Map<string, number[]>>();
  for (const { at, fault, firstByteMs, model } of calls) {
    const hour = at - (at % hourSeconds);
    const models = hours.get(hour) ?? new Map<string, number[]>();
    hours.set(hour, models);
    const counts =
      models.get(model) ?? Array<number>(attemptCounts.length + firstByteBuckets).fill(0);
    models.set(model, counts);
    const add = (place: number): void => void (counts[place] = (counts[place] ?? 0) + 1);
    add(attemptCounts.indexOf("attempts"));
    if (fault !== null) add(attemptCounts.indexOf(countedAs[fault]));
    else {
      add(attemptCounts.indexOf("answered"));
      add(attemptCounts.length + bucketOf(firstByteMs));
    }
  }
  for (const [hour, models] of hours) {
    const tallies = [...models].map(([model, counts]) => ({
      channelId: channels.get(model) ?? 0,
      model,
      counts,
    }));
    await stores.channelStatistics.addAttempts({ hour, tallies });
  }
}
