/**
 * The rules of channels: how a row becomes what the relay uses, to which server its keys may be
 * sent, and when a channel is disabled or enabled automatically.
 */

import {
  channelSetting,
  type ChannelSetting,
  modelMapping,
  paramOverride,
  statusCodeMapping,
  timeLimitsDefault,
} from "@tollgate/contract/fields/channel-fields.ts";
import { hintOfKey } from "@tollgate/contract/fields/channel-keys.ts";
import { channelStatus, type StandingKind } from "@tollgate/contract/endpoints/channels.ts";
import { unixSeconds } from "#base/clock.ts";
import type { Secrets } from "#base/secrets.ts";
import { recordChange } from "#db/changes.ts";
import type { Db } from "#db/database.ts";
import { parseProxy, type Proxy } from "#network/proxy.ts";
import { appendAudit, systemActor } from "#modules/audit/audit.ts";
import { type CostVersionRow, openCosts } from "#modules/costs/costs.ts";
import { insertLog } from "#modules/logs/logs.ts";
import type { KeyLimits } from "#ports/snapshot.ts";
import { type Provider, type SpokenFormat, wiresOf } from "#providers/provider.ts";
import { findProvider } from "#providers/registry.ts";
import {
  type ChannelKeyRow,
  type ChannelRow,
  findChannel,
  type SealedKey,
  updateChannels,
} from "./channels.repo.ts";

const { enabled, disabledAutomatically } = channelStatus.enum;

/** The longest stored reason for disabling a channel, in characters; a longer one is cut. */
const reasonMax = 500;

/** A channel and its sealed keys, as read from the database. */
export type LoadedChannel = {
  readonly row: ChannelRow;
  readonly keys: readonly ChannelKeyRow[];
  /** The newest version of its cost list; null: there is none. */
  readonly costs: CostVersionRow | null;
};

/**
 * Returns the context with which a channel's keys are sealed: the server they were entered for. A
 * key cannot be opened in another context. So somebody who changes a base URL in the database, or
 * moves a key to another channel there, cannot have the key sent to another server. An empty base
 * URL stands for the provider's own.
 */
export function keyContext({ type, base_url }: Pick<ChannelRow, "type" | "base_url">): string {
  return `channel_keys|${base_url === "" ? `type ${type}` : originOf(base_url)}`;
}

/**
 * Returns the server to which a channel's keys are sent, and the proxy if it can read them. Keys are
 * reused only for the same server.
 */
export function keyTarget({
  type,
  base_url,
  setting = "",
}: Pick<ChannelRow, "type" | "base_url"> & { readonly setting?: string | undefined }): string {
  const own = base_url === "" ? findProvider(type)?.baseUrl : base_url;
  const target = own === null || own === undefined ? `type ${type}` : originOf(own);
  // With TLS a proxy sees only the name of the server.
  if (target.startsWith("https:")) return target;
  const proxy = proxyOf({ setting });
  return proxy === null ? target : `${target} through ${JSON.stringify(proxy)}`;
}

/** Returns the channel's own proxy; null: it has none. */
export function proxyOf({ setting }: Pick<ChannelRow, "setting">): Proxy | null {
  const { proxy = "" } = channelSetting.parse(readJson(setting));
  return proxy === "" ? null : parseProxy(proxy);
}

/** Returns the origin of a URL; a text that is none is returned unchanged, so it is no origin. */
function originOf(baseUrl: string): string {
  return URL.canParse(baseUrl) ? new URL(baseUrl).origin : baseUrl;
}

/** Seals (encrypts) a channel key so that it can be stored. */
export function sealKey(secrets: Secrets, context: string, key: string): SealedKey {
  return {
    sealed: secrets.seal(context, key),
    fingerprint: keyFingerprint(secrets, key),
    hint: hintOfKey(key),
  };
}

/**
 * Returns the keyed hash of a channel key, by which a search for the whole key finds its channel.
 */
export function keyFingerprint(secrets: Secrets, key: string): string {
  return secrets.lookup("channel_keys", key);
}

/** The tag of channels that only tokens with the backup pool use for pictures. */
const backupTag = "backup";

/**
 * Brings a channel to the form in which the relay uses it. `keys` are its enabled keys in plain
 * text, in their order.
 * @throws ZodError or SyntaxError when a JSON column holds something a console cannot save.
 */
export function channelView(
  row: ChannelRow,
  keys: readonly string[],
  provider: Provider,
  costs: CostVersionRow | null = null,
) {
  const setting = channelSetting.parse(readJson(row.setting));
  const override = paramOverride.parse(readJson(row.param_override));
  const statuses = Object.entries(statusCodeMapping.parse(readJson(row.status_code_mapping)));
  return {
    id: row.id,
    name: row.name,
    provider: spokenBy(provider, row, setting.wire, keys),
    status: row.status,
    baseUrl: row.base_url === "" ? (provider.baseUrl ?? "") : row.base_url,
    proxy: proxyOf(row),
    other: row.other,
    organization: row.openai_organization,
    keys,
    models: new Set(splitList(row.models)),
    groups: new Set(splitList(row.group)),
    modelMapping: new Map(Object.entries(modelMapping.parse(readJson(row.model_mapping)))),
    statusCodeMapping: new Map(statuses.map(([from, to]) => [Number(from), Number(to)])),
    paramOverride: Object.keys(override).length === 0 ? null : override,
    headerOverride: setting.header_override ?? null,
    systemPrompt: setting.system_prompt?.trim() ?? "",
    forcesFormat: setting.force_format ?? false,
    thinksInText: setting.thinking_to_content ?? false,
    reasoningField: setting.reasoning_field ?? ("provider" as const),
    priority: row.priority,
    weight: row.weight,
    autoBan: row.auto_ban === 1,
    testModel: row.test_model,
    usageTrust: setting.usage_trust ?? "limit",
    isBackup: row.tag === backupTag,
    sharesIds: setting.shares_ids ?? false,
    keyLimits: keyLimitsOf(setting),
    places: setting.conversations ?? ("usual" as const),
    marksCaches: setting.cache_marks ?? false,
    streamsResults: setting.stream_results ?? false,
    costs: costs === null ? null : openCosts(costs),
    limits: {
      connectMs: setting.connectMs ?? timeLimitsDefault.connectMs,
      firstByteMs: setting.firstByteMs ?? timeLimitsDefault.firstByteMs,
      betweenChunksMs: setting.betweenChunksMs ?? timeLimitsDefault.betweenChunksMs,
      totalMs: setting.totalMs ?? timeLimitsDefault.totalMs,
    },
  };
}

function keyLimitsOf({ key_limits }: ChannelSetting): KeyLimits | null {
  const { calls = 0, requests = 0, tokens = 0 } = key_limits ?? {};
  return calls + requests + tokens === 0 ? null : { calls, requests, tokens };
}

/** A channel in the form in which the relay uses it. */
export type OpenChannel = ReturnType<typeof channelView>;

/** Returns the provider with the formats that the channel's server speaks. */
function spokenBy(
  provider: Provider,
  { base_url }: Pick<ChannelRow, "base_url">,
  wire: string | undefined,
  keys: readonly string[],
): Provider {
  const isAway = base_url !== "" && base_url !== provider.baseUrl;
  const all = Object.entries(provider.formats);
  const wires = wiresOf(provider);
  const chosen = wire ?? all.find(([, spoken]) => areFor(spoken, keys))?.[0];
  const isUsual = (spoken: SpokenFormat) =>
    spoken.keys === undefined && (!isAway || spoken.onlyAtHome !== true);
  const formats =
    chosen === undefined
      ? all.filter(([, spoken]) => isUsual(spoken))
      : all.filter(([format]) => format === chosen || !wires.includes(format));
  return formats.length === all.length
    ? provider
    : { ...provider, formats: Object.fromEntries(formats) };
}

/** Whether a channel's keys are for this format alone. */
function areFor({ keys: form }: SpokenFormat, keys: readonly string[]): boolean {
  return form !== undefined && keys.length > 0 && keys.every((key) => form.test(key));
}

/** Parses a JSON column, in which `""` stands for the empty object. */
function readJson(text: string): unknown {
  return text === "" ? {} : JSON.parse(text);
}

/** Splits a comma-separated column into its entries. */
export function splitList(text: string): string[] {
  return text.split(",").filter((entry) => entry !== "");
}

/**
 * Returns the usable channels in the form the relay uses. `report` is called for each channel that
 * cannot be used. Such a channel is left out, because a missing channel does less harm than one
 * that works otherwise than configured.
 */
export function openChannels(
  loaded: readonly LoadedChannel[],
  secrets: Secrets,
  report: (channelId: number, reason: string) => void,
): OpenChannel[] {
  return loaded.flatMap(({ row, keys, costs }) => {
    const provider = findProvider(row.type);
    if (provider === undefined) {
      report(row.id, `unknown type ${row.type}`);
      return [];
    }
    try {
      return [channelView(row, openKeys(row, keys, secrets), provider, costs)];
    } catch (error) {
      report(row.id, error instanceof Error ? error.message.slice(0, reasonMax) : "not usable");
      return [];
    }
  });
}

/**
 * Unseals the enabled keys of a channel.
 * @throws SecretError when a key was entered for another server or sealed with another secret.
 */
export function openKeys(
  row: Pick<ChannelRow, "type" | "base_url">,
  keys: readonly Pick<ChannelKeyRow, "sealed" | "status">[],
  secrets: Secrets,
): string[] {
  const context = keyContext(row);
  return keys
    .filter(({ status }) => status === enabled)
    .map(({ sealed }) => secrets.open(context, sealed));
}

/** The outcome of a channel test. */
export type TestOutcome = {
  readonly ok: boolean;
  /** Why the test failed, for people to read; empty when it succeeded. */
  readonly message: string;
  /** The field of the channel that is probably wrong; null: none, or it cannot be told. */
  readonly field: string | null;
  readonly seconds: number;
  /** Whether the channel itself caused the failure, in a way for which a channel is disabled. */
  readonly atFault: boolean;
};

export type BalanceOutcome =
  | { readonly ok: true; readonly balance: number }
  /** `message` is for people to read and contains no secret. */
  | { readonly ok: false; readonly message: string };

/** An upstream to ask for its list of models, and how to ask it. */
export type ModelsSource = {
  readonly provider: Provider;
  /** The channel's base URL, or else the provider's own. */
  readonly baseUrl: string;
  readonly proxy: Proxy | null;
  readonly other: string;
  readonly organization: string;
  readonly key: string;
};

/** What the channels module offers to the relay. */
export type Channels = {
  /**
   * Disables a channel that the relay found at fault. Returns before that is done; a failure to
   * disable the channel is logged.
   *
   * @param status 2: only a person enables it again; otherwise a good test does so as well.
   */
  disable(channelId: number, reason: string, status?: 2 | 3): void;
  /**
   * Tests a channel after a client's call has failed in a way that suggests a fault of the channel,
   * and disables it when the test fails too. Returns before that is done; a failure is logged.
   */
  suspect(channelId: number, reason: string): void;
};

/** Requests to upstreams that check a channel: tests, balances, lists of models. */
export type ChannelProbes = {
  /**
   * Sends one small call through a channel, for `model`; if that is null, for the channel's test
   * model, or else for its first model. `isStream`: asks for a stream.
   */
  readonly testChannel: (
    channelId: number,
    model: string | null,
    isStream: boolean,
  ) => Promise<TestOutcome>;
  /** Tests a channel that may be unsaved; stores nothing. */
  readonly tryChannel: (channel: OpenChannel, model: string | null) => Promise<TestOutcome>;
  readonly askBalance: (channelId: number) => Promise<BalanceOutcome>;
  /**
   * Asks an upstream for the names of its models. If that fails, `message` says why, for people to
   * read and without secrets, and `field` names the field of the channel that is probably wrong.
   */
  readonly listUpstreamModels: (
    source: ModelsSource,
  ) => Promise<
    { ok: true; models: string[] } | { ok: false; message: string; field: string | null }
  >;
};

/** Where a channel stands for calls that begin now, as the relay says it. */
export type ChannelStanding = {
  /** `unusable`: the channel's type or settings cannot be used. `off`: it is not enabled. */
  readonly state: "off" | "on" | "unusable";
  /** One entry for each group and model. */
  readonly parts: readonly {
    readonly group: string;
    readonly model: string;
    readonly kind: StandingKind;
    readonly share: number;
    /** Unix milliseconds; 0: none, or not known. */
    readonly untilMs: number;
  }[];
};

/** The options that decide whether a test's outcome disables or enables the channel. */
export type TestRules = {
  readonly automaticDisable: boolean;
  readonly automaticEnable: boolean;
  /** The longest time a successful test may take, in seconds; 0: no limit. */
  readonly slowest: number;
};

type Verdict = { readonly status: 1 | 3; readonly reason: string } | null;

/**
 * Decides the status that a channel gets because of a test's outcome, and why; null: its status
 * stays.
 */
export function judgeTest(
  { status, auto_ban }: Pick<ChannelRow, "status" | "auto_ban">,
  { ok, message, seconds, atFault }: TestOutcome,
  { automaticDisable, automaticEnable, slowest }: TestRules,
): Verdict {
  const slow = slowest > 0 && seconds > slowest;
  if (status === disabledAutomatically) {
    return automaticEnable && ok && !slow ? { status: enabled, reason: "" } : null;
  }
  if (status !== enabled || auto_ban !== 1 || !automaticDisable) return null;
  if (atFault) return { status: disabledAutomatically, reason: message };
  if (!slow) return null;
  const reason = `响应时间 ${seconds.toFixed(2)}s 超过阈值 ${slowest.toFixed(2)}s`;
  return { status: disabledAutomatically, reason };
}

type AutomaticSwitch = {
  readonly channelId: number;
  readonly status: 1 | 2 | 3;
  /** Why the channel is disabled, for people to read; contains no secret. */
  readonly reason: string;
  /** Unix milliseconds. */
  readonly nowMs: number;
};

/**
 * Disables an enabled channel, or enables one that was disabled automatically. A channel that
 * somebody disabled by hand is never switched. Adds a row to the usage log and one to the audit
 * log.
 *
 * @returns false when the channel's status did not allow the switch.
 */
export async function switchAutomatically(tx: Db, change: AutomaticSwitch): Promise<boolean> {
  const { channelId, status, nowMs } = change;
  await recordChange(tx, "channels", channelId);
  const row = await findChannel(tx, channelId);
  const from = status === enabled ? disabledAutomatically : enabled;
  if (row === undefined || row.status !== from) return false;
  const reason = change.reason.slice(0, reasonMax);
  const info = { status_reason: reason, status_time: unixSeconds(nowMs) };
  await updateChannels(tx, [channelId], {
    status,
    other_info: status === enabled ? "" : JSON.stringify(info),
  });
  const named = `通道「${row.name}」（#${channelId}）`;
  const content = status === enabled ? `${named}已被启用` : `${named}已被禁用，原因：${reason}`;
  await insertLog(tx, { type: 4, userId: 0, channelId, content, nowMs });
  await appendAudit(tx, {
    actor: systemActor,
    action: status === enabled ? "channel.enable" : "channel.disable",
    target: `channel:${channelId}`,
    detail: { before: { status: from }, after: { status }, reason },
    nowMs,
  });
  return true;
}
