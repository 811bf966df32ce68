/** Test helper: the console API of channels over an empty database. */

import type { ChannelRound } from "@tollgate/contract/endpoints/channel-probes.ts";
import { type Channel, createChannel } from "@tollgate/contract/endpoints/channels.ts";
import * as contract from "@tollgate/contract/endpoints/channels.ts";
import type { Endpoint } from "@tollgate/contract/endpoints/endpoint.ts";
import { openAddressPolicy } from "#base/address-policy.ts";
import { openSecrets } from "#base/secrets.ts";
import type { Dialect } from "#db/dialect.ts";
import { readClock } from "#db/changes.ts";
import { bindStore } from "#db/store.ts";
import { openTestDatabase } from "#db/testing/database.ts";
import { type Caller, isReplyValue } from "#http/handler.ts";
import { openChannelBalances } from "#modules/channels/channel-balances.ts";
import { openRoutedChannels } from "#modules/channels/channel-repair.ts";
import { openChannelTester } from "#modules/channels/channel-tests.ts";
import { tagHandlers } from "#modules/channels/channel-tags.handlers.ts";
import { channelHandlers } from "#modules/channels/channels.handlers.ts";
import { channelStore } from "#modules/channels/channels.store.ts";
import {
  type BalanceOutcome,
  type ChannelStanding,
  type ModelsSource,
  type OpenChannel,
  openChannels,
  type TestOutcome,
  type TestRules,
} from "#modules/channels/channels.ts";

export const admin: Caller = {
  userId: 2,
  role: 10,
  username: "admin",
  clientIp: "203.0.113.9",
  sessionId: null,
  requestId: "r",
};

/** Unix seconds. */
export const now = 1_800_000_000;

/** The smallest valid input for a new channel, of OpenAI's type. */
export const basic = { type: 1, name: "main", key: "sk-0123456789abcdefgh", models: "gpt-4o" };

const secrets = openSecrets("0123456789abcdef0123456789abcdef");

const wentWell: TestOutcome = {
  ok: true,
  message: "",
  field: null,
  seconds: 0.5,
  atFault: false,
};

/**
 * Makes fakes of upstreams and options, which give the outcomes that a test sets and record the
 * calls that were made.
 */
function openWorld() {
  return {
    outcome: async (_channelId: number): Promise<TestOutcome> => wentWell,
    rules: { automaticDisable: false, automaticEnable: false, slowest: 5 } as TestRules,
    problems: [] as unknown[],
    lowBalance: 0,
    low: [] as object[],
    applied: 0,
    standing: { state: "on", parts: [] } as ChannelStanding,
    balance: { ok: true, balance: 12.5 } as BalanceOutcome,
    /** The channels whose balances were asked for. */
    balancesAsked: [] as number[],
    /** The rounds of tests whose end was told. */
    rounds: [] as ChannelRound[],
    tested: [] as [number, string | null][],
    /** The channels whose tests asked for a stream. */
    streamed: [] as number[],
    tried: [] as [OpenChannel, string | null][],
    asked: [] as ModelsSource[],
  };
}

function openPorts(store: ReturnType<typeof bindStore<typeof channelStore>>, world: World) {
  const applyChanges = async () => void (world.applied += 1);
  const shared = {
    store,
    testRules: () => world.rules,
    applyChanges,
    now: () => now * 1_000,
    report: (error: unknown) => void world.problems.push(error),
  };
  return {
    channelStanding: () => world.standing,
    applyChanges,
    now: shared.now,
    tester: openChannelTester({
      ...shared,
      testChannel: async (channelId, model, isStream) => {
        world.tested.push([channelId, model]);
        if (isStream) world.streamed.push(channelId);
        return await world.outcome(channelId);
      },
      tested: (round) => void world.rounds.push(round),
    }),
    balances: openChannelBalances({
      ...shared,
      askBalance: async (channelId) => {
        world.balancesAsked.push(channelId);
        return world.balance;
      },
      tellsBalance: (type) => type === 1,
      lowBalance: () => world.lowBalance,
      tellLow: (low) => void world.low.push(low),
    }),
    tryChannel: async (channel: OpenChannel, model: string | null) => {
      world.tried.push([channel, model]);
      return await world.outcome(channel.id);
    },
    listUpstreamModels: async (source: ModelsSource) => {
      world.asked.push(source);
      return source.key === "sk-wrong"
        ? { ok: false as const, message: "401", field: "key" }
        : { ok: true as const, models: ["b", "a", "b"] };
    },
  };
}

type World = ReturnType<typeof openWorld>;

/**
 * Opens the console API of channels over an empty database. Base URLs may point to the private
 * range 10.1.0.0/16; every other private network is forbidden.
 */
export async function openGateway(dialect: Dialect) {
  const { db, close } = await openTestDatabase(dialect);
  const store = bindStore(channelStore, db);
  const world = openWorld();
  const { tested, tried, asked } = world;
  const ports = openPorts(store, world);
  const { tester, balances } = ports;
  const policy = openAddressPolicy({ privateRanges: ["10.1.0.0/16"], loopback: false });
  let seen = -1;
  const routed = openRoutedChannels({
    store,
    secrets,
    // As in the product, channels are read anew where a change is recorded.
    async applyChanges() {
      const { version } = await readClock(db);
      if (version !== seen) await routed.load(null);
      seen = version;
    },
    report: () => undefined,
  });
  const handlers = [
    ...channelHandlers({ store, secrets, policy, repair: routed.repair, ...ports }),
    ...tagHandlers({ store, ...ports }),
  ];
  const call = async (endpoint: Endpoint, input: object): Promise<unknown> => {
    const answer = await handlers.find((one) => one.endpoint === endpoint)?.run(input, admin);
    return isReplyValue(answer) ? { ...answer } : answer;
  };
  /** Creates channels and returns the id of the first. */
  const create = async (fields: object = {}): Promise<number> => {
    const [id = 0] = createChannel.output.parse(await call(createChannel, { ...basic, ...fields }));
    return id;
  };
  const read = async (id: number): Promise<Channel> =>
    contract.channel.parse(await call(contract.readChannel, { id }));
  /**
   * Returns the channels that the relay would get, by id, and the ids of the channels that are left
   * out, with the reasons.
   */
  const open = async () => {
    const left: [number, string][] = [];
    const views = openChannels(await store.loadChannels(null), secrets, (...why) => left.push(why));
    return { views: new Map(views.map((view) => [view.id, view])), left };
  };
  return {
    db,
    close,
    store,
    world,
    tester,
    balances,
    tested,
    tried,
    asked,
    call,
    create,
    read,
    open,
  };
}
