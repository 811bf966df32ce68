/**
 * Requests about channels for the console and timed jobs: whether a channel works, its balance, its
 * models.
 */

import { timeLimitsDefault } from "@tollgate/contract/fields/channel-fields.ts";
import type { Transport } from "#network/transport.ts";
import type { ChannelView, Snapshot } from "#ports/snapshot.ts";
import type { FaultWords } from "#relay/faults/fault-words.ts";
import { readUpstreamBalance, type UpstreamBalance } from "./balance.ts";
import { type ChannelTest, testChannel } from "./channel-test.ts";
import { listUpstreamModels } from "./models.ts";

/** The outcome of a channel test. */
type TestOutcome = {
  readonly ok: boolean;
  /** Why the test failed, as a text for administrators; empty on success. */
  readonly message: string;
  /** The field of the channel that is probably wrong; null: none, or it cannot be told. */
  readonly field: FaultWords["field"];
  readonly seconds: number;
  /** Whether the channel itself caused the failure, which is a reason to disable it. */
  readonly atFault: boolean;
};

/** An upstream and how to reach it; the fields of a channel that may not be saved yet. */
type ModelsSource = Pick<
  ChannelView,
  "baseUrl" | "organization" | "other" | "provider" | "proxy"
> & {
  readonly key: string;
};

type Probes = {
  /**
   * Tests a saved channel by sending one small call. `model` null: the channel's test model.
   * `isStream`: asks for a stream.
   */
  readonly testChannel: (
    channelId: number,
    model: string | null,
    isStream: boolean,
  ) => Promise<TestOutcome>;
  /** Sends a test call with the fields of a channel, saved or not. Stores nothing. */
  readonly tryChannel: (channel: ChannelView, model: string | null) => Promise<TestOutcome>;
  readonly askBalance: (channelId: number) => Promise<UpstreamBalance>;
  readonly listUpstreamModels: (
    source: ModelsSource,
  ) => Promise<{ ok: true; models: string[] } | ({ ok: false } & FaultWords)>;
};

const unusable = { message: "渠道未找到，或其设置无法使用", field: null } as const;

export function openProbes(deps: {
  readonly transport: Transport;
  readonly snapshot: Snapshot;
  /** Unix milliseconds. */
  readonly now: () => number;
  /** Monotonic milliseconds. */
  readonly nowMs: () => number;
}): Probes {
  const { transport, snapshot, now, nowMs } = deps;
  // Reads the options anew for each test, so that a changed option applies from the next test on.
  const ports = () => ({ transport, options: snapshot.options, now, nowMs });
  return {
    async testChannel(channelId, model, isStream) {
      const channel = snapshot.findChannel(channelId);
      if (channel === undefined) {
        return { ok: false, ...unusable, seconds: 0, atFault: false };
      }
      return outcomeOf(await testChannel(ports(), channel, model, isStream));
    },

    async tryChannel(channel, model) {
      return outcomeOf(await testChannel(ports(), channel, model));
    },

    async askBalance(channelId) {
      const channel = snapshot.findChannel(channelId);
      if (channel === undefined) return { ok: false, ...unusable };
      return await readUpstreamBalance(transport, channel, now());
    },

    async listUpstreamModels(source) {
      const listed = await listUpstreamModels(transport, channelOf(source));
      return listed.ok ? { ok: true, models: [...listed.models] } : listed;
    },
  };
}

function outcomeOf(test: ChannelTest): TestOutcome {
  const seconds = test.timeMs / 1_000;
  if (test.ok) return { ok: true, message: "", field: null, seconds, atFault: false };
  return { ok: false, ...test.words, seconds, atFault: test.disableReason !== null };
}

/** Makes a channel that is only tested. It is not saved, so no client's call is routed to it. */
function channelOf({
  provider,
  baseUrl,
  proxy,
  other,
  organization,
  key,
}: ModelsSource): ChannelView {
  return {
    id: 0,
    name: "",
    provider,
    status: 2,
    baseUrl,
    proxy,
    other,
    organization,
    keys: [key],
    models: new Set(),
    groups: new Set(),
    modelMapping: new Map(),
    statusCodeMapping: new Map(),
    paramOverride: null,
    headerOverride: null,
    systemPrompt: "",
    costs: null,
    forcesFormat: false,
    thinksInText: false,
    reasoningField: "provider",
    priority: 0,
    weight: 0,
    autoBan: false,
    testModel: "",
    usageTrust: "limit",
    isBackup: false,
    sharesIds: false,
    places: "usual",
    marksCaches: false,
    keyLimits: null,
    streamsResults: false,
    limits: timeLimitsDefault,
  };
}
