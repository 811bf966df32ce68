/** The console's wishes to try a channel and to list an upstream's models, put to the relay. */

import { timeLimitsDefault } from "contract/channel-fields.ts";
import type { ChannelDeps, ModelsSource } from "#modules/channels/channels.handlers.ts";
import type { TestOutcome } from "#modules/channels/channels.ts";
import { listUpstreamModels, testChannel } from "#relay/channel-test.ts";
import type { ChannelView, Snapshot } from "#relay/snapshot.ts";
import type { Transport } from "#relay/transport.ts";

export type ChannelTestPorts = {
  readonly testChannel: (channelId: number, model: string | null) => Promise<TestOutcome>;
  readonly listUpstreamModels: ChannelDeps["listUpstreamModels"];
};

export function openChannelTests(deps: {
  readonly transport: Transport;
  readonly snapshot: Snapshot;
  /** Unix milliseconds. */
  readonly now: () => number;
  /** Monotonic milliseconds. */
  readonly nowMs: () => number;
}): ChannelTestPorts {
  const { transport, snapshot, now, nowMs } = deps;
  return {
    async testChannel(channelId, model) {
      const channel = snapshot.findChannel(channelId);
      if (channel === undefined) {
        return { ok: false, message: "渠道未找到，或其设置无法使用", seconds: 0, atFault: false };
      }
      const ports = { transport, options: snapshot.options, now, nowMs };
      const test = await testChannel(ports, channel, model);
      const seconds = test.timeMs / 1_000;
      if (test.ok) return { ok: true, message: "", seconds, atFault: false };
      return { ok: false, message: test.message, seconds, atFault: test.disableReason !== null };
    },

    async listUpstreamModels(source) {
      const listed = await listUpstreamModels({ transport }, askedOnly(source));
      return listed.ok ? { ok: true, models: [...listed.models] } : listed;
    },
  };
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
