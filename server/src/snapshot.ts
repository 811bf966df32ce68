/**
 * Joins the parts the modules make into the relay's snapshot and keeps them fresh: at once for
 * what this node changed, within a second for what others did.
 */

import type { ConfigChange, ConfigPart } from "#db/changes.ts";
import type { ChannelView, PriceVersion, RelayOptions, Snapshot, Tier } from "#relay/snapshot.ts";
import type { TokenView, UserView } from "#relay/snapshot.ts";

/** How each part is read. `ids` null: all of it. */
export type SnapshotSources = {
  readonly readClock: () => Promise<number>;
  readonly listChanges: (version: number) => Promise<readonly ConfigChange[]>;
  readonly loadTokens: (ids: readonly number[] | null) => Promise<readonly LoadedToken[]>;
  readonly loadUsers: (ids: readonly number[] | null) => Promise<readonly UserView[]>;
  /** Every channel: there are few, and offerings are made from all of them. */
  readonly loadChannels: () => Promise<readonly ChannelView[]>;
  readonly loadPrices: () => Promise<PriceVersion>;
  readonly loadOptions: () => Promise<RelayOptions>;
};

/** `lookup` null: deleted. */
export type LoadedToken = { readonly id: number; readonly found: FoundToken | null };
export type FoundToken = { readonly lookup: string; readonly view: TokenView };

export type LiveSnapshot = {
  readonly snapshot: Snapshot;
  /** Applies every change committed before the call. */
  readonly applyChanges: () => Promise<void>;
};

type State = {
  version: number;
  prices: PriceVersion;
  options: RelayOptions;
  channels: ReadonlyMap<number, ChannelView>;
  offerings: Offerings;
  /** Model → groups of its channels, enabled or not. */
  offered: ReadonlyMap<string, ReadonlySet<string>>;
};

/** Group → model → tiers. */
type Offerings = ReadonlyMap<string, ReadonlyMap<string, readonly Tier[]>>;

export async function openSnapshot(sources: SnapshotSources): Promise<LiveSnapshot> {
  const tokensByLookup = new Map<string, TokenView>();
  const lookups = new Map<number, string>();
  const users = new Map<number, UserView>();
  const version = await sources.readClock();
  const [tokens, loadedUsers, channels, prices, options] = await Promise.all([
    sources.loadTokens(null),
    sources.loadUsers(null),
    sources.loadChannels(),
    sources.loadPrices(),
    sources.loadOptions(),
  ]);
  const state: State = { version, prices, options, ...channelState(channels) };
  putTokens(tokens);
  for (const user of loadedUsers) users.set(user.id, user);

  function putTokens(loaded: readonly LoadedToken[]): void {
    for (const { id, found } of loaded) {
      const before = lookups.get(id);
      if (before !== undefined && before !== found?.lookup) tokensByLookup.delete(before);
      if (found === null) {
        lookups.delete(id);
        continue;
      }
      lookups.set(id, found.lookup);
      tokensByLookup.set(found.lookup, found.view);
    }
  }

  async function reload(part: ConfigPart, ids: readonly number[]): Promise<void> {
    const all = ids.includes(0) ? null : ids;
    switch (part) {
      case "tokens":
        putTokens(await sources.loadTokens(all));
        break;
      case "users":
        for (const user of await sources.loadUsers(all)) users.set(user.id, user);
        break;
      case "channels":
        Object.assign(state, channelState(await sources.loadChannels()));
        break;
      case "prices":
        state.prices = await sources.loadPrices();
        break;
      case "options":
        state.options = await sources.loadOptions();
        break;
    }
  }

  async function catchUp(): Promise<void> {
    const changes = await sources.listChanges(state.version);
    const byPart = new Map<ConfigPart, number[]>();
    for (const { part, entity_id } of changes) {
      byPart.set(part, [...(byPart.get(part) ?? []), entity_id]);
    }
    for (const [part, ids] of byPart) await reload(part, [...new Set(ids)]);
    state.version = changes.at(-1)?.version ?? state.version;
  }

  // One at a time; a caller that comes meanwhile needs a run that starts after its own commit.
  let running: Promise<void> | undefined;
  let next: Promise<void> | undefined;
  async function applyChanges(): Promise<void> {
    next ??= (running ?? Promise.resolve())
      .catch(() => {})
      .then(async () => {
        next = undefined;
        running = catchUp();
        await running;
      });
    await next;
  }

  return { snapshot: viewOf(state, tokensByLookup, users), applyChanges };
}

function viewOf(
  state: State,
  tokensByLookup: ReadonlyMap<string, TokenView>,
  users: ReadonlyMap<number, UserView>,
): Snapshot {
  return {
    findToken: (lookup) => tokensByLookup.get(lookup),
    findUser: (id) => users.get(id),
    findChannel: (id) => state.channels.get(id),
    tiersFor: (group, model) => state.offerings.get(group)?.get(model),
    groupsOffered: (model) => state.offered.get(model),
    modelsOf: (group) => [...(state.offerings.get(group)?.keys() ?? [])].toSorted(),
    get prices() {
      return state.prices;
    },
    get options() {
      return state.options;
    },
  };
}

function channelState(
  channels: readonly ChannelView[],
): Pick<State, "channels" | "offered" | "offerings"> {
  const offered = new Map<string, Set<string>>();
  for (const channel of channels) {
    for (const model of channel.models) {
      const groups = offered.get(model) ?? new Set<string>();
      offered.set(model, groups);
      for (const group of channel.groups) groups.add(group);
    }
  }
  const offerings = new Map<string, Map<string, Tier[]>>();
  const sorted = channels
    .filter(({ status }) => status === 1)
    .toSorted((a, b) => b.priority - a.priority || a.id - b.id);
  for (const channel of sorted) {
    for (const group of channel.groups) {
      const models = offerings.get(group) ?? new Map<string, Tier[]>();
      offerings.set(group, models);
      for (const model of channel.models) addChannel(models, model, channel);
    }
  }
  const byId = new Map(channels.map((channel) => [channel.id, channel]));
  return { channels: byId, offered, offerings };
}

/** Channels come best priority first, so only the last tier can be theirs. */
function addChannel(models: Map<string, Tier[]>, model: string, channel: ChannelView): void {
  const tiers = models.get(model) ?? [];
  models.set(model, tiers);
  const last = tiers.at(-1);
  if (last?.priority === channel.priority) {
    tiers[tiers.length - 1] = { ...last, channels: [...last.channels, channel] };
  } else {
    tiers.push({ priority: channel.priority, channels: [channel] });
  }
}
