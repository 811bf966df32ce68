/** The console's wishes to try a channel and to list an upstream's models, put to the relay. */

import { timeLimitsDefault } from "@tollgate/contract/channel-fields.ts";
import type { BalanceOutcome } from "#modules/channels/channel-balances.ts";
import type { ChannelDeps, ModelsSource } from "#modules/channels/channels.handlers.ts";
import type { TestOutcome } from "#modules/channels/channels.ts";
import { readUpstreamBalance } from "#relay/probes/balance.ts";
import { type ChannelTest, testChannel } from "#relay/probes/channel-test.ts";
import { listUpstreamModels } from "#relay/probes/models.ts";
import type { ChannelView, Snapshot } from "#relay/snapshot.ts";
import type { Transport } from "#network/transport.ts";

export type ChannelTestPorts = {
  readonly testChannel: (channelId: number, model: string | null) => Promise<TestOutcome>;
  readonly tryChannel: ChannelDeps["tryChannel"];
  readonly askBalance: (channelId: number) => Promise<BalanceOutcome>;
  readonly listUpstreamModels: ChannelDeps["listUpstreamModels"];
};

const unusable = "渠道未找到，或其设置无法使用";

export function openChannelTests(deps: {
  readonly transport: Transport;
  readonly snapshot: Snapshot;
  /** Unix milliseconds. */
  readonly now: () => number;
  /** Monotonic milliseconds. */
  readonly nowMs: () => number;
}): ChannelTestPorts {
  const { transport, snapshot, now, nowMs } = deps;
  // The options are those in force when a test begins.
  const ports = () => ({ transport, options: snapshot.options, now, nowMs });
  return {
    async testChannel(channelId, model) {
      const channel = snapshot.findChannel(channelId);
      if (channel === undefined) {
        return { ok: false, message: unusable, seconds: 0, atFault: false };
      }
      return outcomeOf(await testChannel(ports(), channel, model));
    },

    async tryChannel(channel, model) {
      return outcomeOf(await testChannel(ports(), channel, model));
    },

    async askBalance(channelId) {
      const channel = snapshot.findChannel(channelId);
      if (channel === undefined) return { ok: false, message: unusable };
      return await readUpstreamBalance(transport, channel, now());
    },

    async listUpstreamModels(source) {
      const listed = await listUpstreamModels(transport, askedOnly(source));
      return listed.ok ? { ok: true, models: [...listed.models] } : listed;
    },
  };
}

function outcomeOf(test: ChannelTest): TestOutcome {
  const seconds = test.timeMs / 1_000;
  if (test.ok) return { ok: true, message: "", seconds, atFault: false };
  return { ok: false, message: test.message, seconds, atFault: test.disableReason !== null };
}

/** A channel that nobody saved yet and no call is ever routed to. */
function askedOnly({ provider, baseUrl, other, organization, key }: ModelsSource): ChannelView {
  return {
    id: 0,
    name: "",
    provider,
    status: 2,
    baseUrl,
    other,
    organization,
    keys: [key],
    models: new Set(),
    groups: new Set(),
    modelMapping: new Map(),
    statusCodeMapping: new Map(),
    paramOverride: null,
    priority: 0,
    weight: 0,
    autoBan: false,
    testModel: "",
    limits: timeLimitsDefault,
  };
}
