import { findKnownKeys } from "@tollgate/contract/endpoints/channel-probes.ts";
import { unknownSettings } from "@tollgate/contract/fields/channel-fields.ts";
import * as contract from "@tollgate/contract/endpoints/channels.ts";
import * as probes from "@tollgate/contract/endpoints/channel-probes.ts";
import { readPageWindowFromZero } from "@tollgate/contract/endpoints/page.ts";
import type { AddressPolicy } from "#base/address-policy.ts";
import { Refusal } from "#base/refusal.ts";
import type { Secrets } from "#base/secrets.ts";
import type { RemoteStore } from "#db/store.ts";
import { type Caller, type Handler, handle, type Reply, reply, withExtras } from "#http/handler.ts";
import { actorOf } from "#modules/audit/audit.ts";
import { type Provider, wiresOf } from "#providers/provider.ts";
import { findProvider, listProviders } from "#providers/registry.ts";
import { checkBaseUrl } from "./channel-edits.ts";
import {
  createChannels,
  keysOrStored,
  noteTrial,
  openUnsaved,
  updateChannel,
} from "./channel-saves.ts";
import type { ChannelBalances } from "./channel-balances.ts";
import { showStanding } from "./channel-standing.ts";
import type { ChannelTester } from "./channel-tests.ts";
import { type ChannelTrials, openChannelTrials } from "./channel-trials.ts";
import type { ChannelFilter, ChannelOrder, ChannelsPage, ListedChannel } from "./channels.repo.ts";
import type { channelStore } from "./channels.store.ts";
import {
  type ChannelProbes,
  type ChannelStanding,
  keyFingerprint,
  type ModelsSource,
  openKeys,
  proxyOf,
  type TestOutcome,
} from "./channels.ts";

type ChannelDeps = {
  readonly store: RemoteStore<typeof channelStore>;
  readonly secrets: Secrets;
  readonly policy: AddressPolicy;
  readonly tester: ChannelTester;
  readonly balances: ChannelBalances;
  readonly tryChannel: ChannelProbes["tryChannel"];
  readonly listUpstreamModels: ChannelProbes["listUpstreamModels"];
  readonly channelStanding: (channelId: number) => ChannelStanding;
  /** Reads all channels anew. @returns how many were routed by otherwise than the database says. */
  readonly repair: () => Promise<number>;
  /** Resolves once this node uses every configuration change that was written before the call. */
  readonly applyChanges: () => Promise<void>;
  /** Unix milliseconds. */
  readonly now: () => number;
};

/** Handles the requests of the console API for channels. */
export function channelHandlers(deps: ChannelDeps): Handler[] {
  const trials = openChannelTrials(deps.now);
  return [
    ...readHandlers(deps),
    ...writeHandlers(deps, trials),
    trialHandler(deps, trials),
    ...networkHandlers(deps),
  ];
}

/** How many channels are named for each key. */
const knownShown = 5;

function readHandlers({ store, secrets, channelStanding, repair }: ChannelDeps): Handler[] {
  const search = async (sent: SentSearch) => {
    // If no page was asked for, all matches up to the limit are returned, as consoles of one-api
    // expect.
    const paged = sent.p !== undefined || sent.page_size !== undefined;
    const window = paged
      ? readPageWindowFromZero(sent)
      : { page: 1, page_size: contract.channelSearchMax };
    return showPage(await store.pageChannels(filterOf(sent, secrets), orderOf(sent), window));
  };
  return [
    handle(contract.listChannels, async (input) => {
      const window = readPageWindowFromZero(input);
      return showPage(await store.pageChannels(null, orderOf(input), window));
    }),
    handle(contract.searchChannels, (input) => search(input)),
    handle(contract.searchNewChannels, (input) => {
      if (input.key !== "" && input.model === "") {
        throw new Refusal("invalid-input", "KEY查询时请输入模型");
      }
      return search(input);
    }),
    handle(contract.readChannel, async ({ id }) => showChannel(found(await store.findChannel(id)))),
    handle(contract.readChannelStanding, async ({ id }) => {
      const channel = showChannel(found(await store.findChannel(id)));
      return showStanding(channelStanding(id), channel);
    }),
    handle(findKnownKeys, async ({ keys }) => {
      const hashes = keys.map((key) => keyFingerprint(secrets, key));
      const holders = await store.findKeyHolders(hashes);
      return hashes.flatMap((hash, at) => {
        const found = holders.filter(({ fingerprint }) => fingerprint === hash);
        const channels = found.slice(0, knownShown).map(({ id, name }) => ({ id, name }));
        return channels.length === 0 ? [] : [{ at, channels }];
      });
    }),
    handle(contract.fixChannels, () => repair()),
    handle(contract.listChannelTypes, async () =>
      listProviders()
        .map(showProvider)
        .toSorted((a, b) => (a.label < b.label ? -1 : 1)),
    ),
  ];
}

function writeHandlers(deps: ChannelDeps, trials: ChannelTrials): Handler[] {
  const { store, applyChanges } = deps;
  const act = (caller: Caller) => ({ actor: actorOf(caller), nowMs: deps.now() });
  return [
    handle(contract.createChannel, async (input, caller) => {
      const ids = await createChannels(deps, input, act(caller));
      await noteTrial(deps, trials, input, { ids, nowMs: deps.now() });
      await applyChanges();
      return warned(ids, input.setting);
    }),
    handle(contract.updateChannel, async (input, caller) => {
      const changed = await updateChannel(deps, input, act(caller));
      await applyChanges();
      return warned(showChannel(changed), input.setting);
    }),
    handle(contract.removeChannel, async ({ id }, caller) => {
      const removed = await store.removeChannels({ ids: [id], ...act(caller) });
      if (removed === 0) throw missing();
      await applyChanges();
    }),
    handle(contract.removeDisabledChannels, async (_, caller) => {
      const removed = await store.removeDisabledChannels(act(caller));
      await applyChanges();
      return removed;
    }),
    handle(contract.removeChannels, async ({ ids }, caller) => {
      const removed = await store.removeChannels({ ids, ...act(caller) });
      await applyChanges();
      return removed;
    }),
  ];
}

/** Handles those requests of the console API that make the gateway send requests to upstreams. */
function trialHandler(deps: ChannelDeps, trials: ChannelTrials): Handler {
  return handle(probes.tryChannel, async ({ model = "", ...sent }) => {
    const channel = await openUnsaved(deps, sent);
    const outcome = await deps.tryChannel(channel, model || null);
    if (outcome.ok) trials.note(channel, outcome.seconds);
    return showOutcome(outcome);
  });
}

function networkHandlers(deps: ChannelDeps): Handler[] {
  const { store, secrets, policy, tester } = deps;
  return [
    handle(probes.testChannel, async ({ id, model, stream }) => {
      const channel = found(await store.findChannel(id));
      if (findProvider(channel.type)?.testable !== true) {
        const message = "该渠道类型不支持测试";
        return reply(undefined, { extras: { time: 0 }, success: false, message });
      }
      return showOutcome(await tester.test(id, model || null, stream));
    }),
    handle(probes.testChannels, async ({ key, model }) => {
      if ((key === "") !== (model === "")) {
        throw new Refusal("invalid-input", "请先搜索KEY和模型");
      }
      const filter = key === "" ? null : { ...everything, ...withKey(secrets, key), model };
      if (!(await tester.start(filter, model || null))) {
        throw new Refusal("invalid-input", "测试已在运行中");
      }
    }),
    handle(probes.updateBalance, async ({ id }) => {
      found(await store.findChannel(id));
      const outcome = await deps.balances.update(id);
      if (!outcome.ok) throw new Refusal("outside-failed", outcome.message);
      return withExtras(undefined, { balance: outcome.balance });
    }),
    handle(probes.updateBalances, async () => {
      if (!(await deps.balances.start())) throw new Refusal("invalid-input", "余额更新已在运行中");
    }),
    handle(probes.readRounds, async () => ({
      tests: await tester.round(),
      balances: await deps.balances.round(),
    })),
    handle(probes.stopRound, async ({ round }) =>
      round === "tests" ? await tester.stop() : await deps.balances.stop(),
    ),
    handle(probes.fetchModels, async ({ id }) => {
      const [loaded] = await store.loadChannels([id]);
      const { row, keys } = found(loaded);
      const provider = found(findProvider(row.type));
      const [key = ""] = openKeys(row, keys, secrets);
      const baseUrl = row.base_url || (provider.baseUrl ?? "");
      const { other, openai_organization: organization } = row;
      const proxy = proxyOf(row);
      return await listModels(deps, { provider, baseUrl, proxy, other, organization, key });
    }),
    handle(probes.fetchNewModels, async ({ id, ...sent }) => {
      const { base_url = "", type = 0, other = "" } = sent;
      const provider = findProvider(type);
      if (provider === undefined) throw new Refusal("invalid-input", `不支持的渠道类型：${type}`);
      const baseUrl = base_url || (provider.baseUrl ?? "");
      checkBaseUrl(base_url, provider, policy);
      const setting =
        sent.setting ?? (id === undefined ? "" : (await store.findChannel(id))?.setting);
      const [key = ""] = await keysOrStored(deps, {
        key: sent.key,
        keys: null,
        id,
        type,
        base_url,
        setting,
      });
      const proxy = proxyOf({ setting: setting ?? "" });
      return await listModels(deps, { provider, baseUrl, proxy, other, organization: "", key });
    }),
  ];
}

async function listModels(
  { listUpstreamModels }: ChannelDeps,
  source: ModelsSource,
): Promise<string[]> {
  if (source.provider.modelsPath === null) {
    throw new Refusal("invalid-input", "该渠道类型不支持获取模型列表");
  }
  const listed = await listUpstreamModels(source);
  if (listed.ok) return [...new Set(listed.models)];
  const { message, field } = listed;
  throw new Refusal("outside-failed", message, { field: field ?? undefined });
}

type SentOrder = {
  readonly id_sort: boolean;
  readonly tag_mode: boolean;
  readonly sort: string;
};

function orderOf({ id_sort, tag_mode, sort }: SentOrder): ChannelOrder {
  return { idSort: id_sort, tagMode: tag_mode, sort };
}

type SentSearch = SentOrder & {
  readonly keyword: string;
  readonly group: string;
  readonly model: string;
  readonly status?: number | undefined;
  readonly type?: number | undefined;
  readonly test?: string;
  readonly key?: string;
  readonly p?: number | undefined;
  readonly page_size?: number | undefined;
  readonly size?: number | undefined;
};

const everything: ChannelFilter = {
  keyword: "",
  keywordFingerprint: "",
  group: "",
  model: "",
  status: 0,
  type: 0,
  failed: false,
  fingerprint: null,
};

function withKey(secrets: Secrets, key: string): Pick<ChannelFilter, "fingerprint"> {
  return { fingerprint: key === "" ? null : keyFingerprint(secrets, key) };
}

function filterOf(sent: SentSearch, secrets: Secrets): ChannelFilter {
  const { keyword, group, model, status = 0, type = 0, test = "", key = "" } = sent;
  return {
    keyword,
    keywordFingerprint: keyFingerprint(secrets, keyword),
    group,
    model,
    status,
    type,
    failed: test === "failed",
    ...withKey(secrets, key),
  };
}

function showChannel({ key_hints, ...row }: ListedChannel): contract.Channel {
  const status = contract.channelStatus.parse(row.status);
  return { ...row, status, key: "", key_count: key_hints.length, key_hints: [...key_hints] };
}

/**
 * Makes the answer to a save of a channel. If some of the saved settings have no effect, its
 * message names them.
 */
function warned<Data>(data: Data, setting = ""): Data | Reply<Data, undefined> {
  const unknown = unknownSettings(setting).join(", ");
  return unknown === ""
    ? data
    : reply(data, { message: `已保存，但以下设置未知，不起作用：${unknown}` });
}

function showPage({ rows, total }: ChannelsPage) {
  return withExtras(rows.map(showChannel), { total });
}

function showOutcome({ ok, message, field, seconds }: TestOutcome) {
  const extras = { time: seconds };
  if (ok) return withExtras(undefined, extras);
  return reply(undefined, {
    extras,
    success: false,
    message,
    ...(field === null ? {} : { field }),
  });
}

function showProvider(provider: Provider) {
  return {
    type: provider.type,
    label: provider.label,
    base_url: provider.baseUrl,
    base_url_form: provider.baseUrlForm ?? null,
    key_form: provider.keyForm,
    other_form: provider.otherForm,
    testable: provider.testable,
    tells_balance: provider.balance !== undefined,
    lists_models: provider.modelsPath !== null,
    models: [...provider.defaultModels],
    wires: wiresOf(provider),
  };
}

function found<Value>(value: Value | undefined): Value {
  if (value === undefined) throw missing();
  return value;
}

function missing(): Refusal {
  return new Refusal("not-found", contract.channelMissing);
}
