/**
 * Builds the relay's snapshot from the parts that modules load, and keeps it fresh: changes by this
 * node are applied immediately, changes by other nodes within a second.
 */

import {
  type ChangePoint,
  type ChangesAfter,
  changesMax,
  type ConfigChange,
  type ConfigPart,
  configParts,
} from "#db/changes.ts";
import type { ChannelView, PriceVersion, RelayOptions, Snapshot, Tier } from "#ports/snapshot.ts";
import type { TokenView, UserView } from "#ports/snapshot.ts";

/** How the modules load each part of the snapshot. If `ids` is null, all of the part is loaded. */
type SnapshotSources = {
  readonly readClock: () => Promise<ChangePoint>;
  readonly listChanges: (point: ChangePoint) => Promise<ChangesAfter>;
  readonly loadTokens: (ids: readonly number[] | null) => Promise<readonly LoadedToken[]>;
  readonly loadUsers: (ids: readonly number[] | null) => Promise<readonly UserView[]>;
  /** Loads all channels: there are few, and offerings are computed from all of them. */
  readonly loadChannels: () => Promise<readonly ChannelView[]>;
  readonly loadPrices: () => Promise<PriceVersion>;
  readonly loadOptions: () => Promise<RelayOptions>;
};

/** `found` is null if the token was deleted. */
type LoadedToken = { readonly id: number; readonly found: FoundToken | null };
/** `old` is what is found by the key that was replaced; null: none was. */
type FoundToken = { readonly view: TokenView; readonly old: TokenView | null };

type LiveSnapshot = {
  readonly snapshot: Snapshot;
  /** Loads the whole configuration. Must be called before anything reads `snapshot`. */
  readonly load: (sources: SnapshotSources) => Promise<void>;
  /** Applies every change committed before the call. */
  readonly applyChanges: () => Promise<void>;
  /** Loads the whole configuration anew, whatever is known of its changes. */
  readonly reload: () => Promise<void>;
  /** Returns the version of the newest change that the snapshot has. */
  readonly version: () => number;
};

type Loaded = {
  readonly sources: SnapshotSources;
  /** The newest change that is applied. */
  point: ChangePoint;
  revision: number;
  prices: PriceVersion;
  options: RelayOptions;
  channels: ReadonlyMap<number, ChannelView>;
  offerings: Offerings;
  /** For each model, the groups of its channels, including disabled channels. */
  offered: ReadonlyMap<string, ReadonlySet<string>>;
};

/** For each group its models, and for each of these its tiers: channels of the same priority. */
type Offerings = ReadonlyMap<string, ReadonlyMap<string, readonly Tier[]>>;

/**
 * Opens the snapshot; `load` fills it.
 *
 * @param onCallers called when users or tokens have changed.
 * @param onBehind called when the database lacks changes that the snapshot has applied.
 */
export function openSnapshot(onCallers: () => void, onBehind: () => void): LiveSnapshot {
  const callers = { tokens: openTokenIndex(), users: new Map<number, UserView>() };
  const { tokens, users } = callers;
  let loaded: Loaded | undefined;
  let mustReload = false;

  function inForce(): Loaded {
    if (loaded === undefined) throw new Error("the configuration has not been read yet");
    return loaded;
  }

  async function load(sources: SnapshotSources): Promise<void> {
    const point = await sources.readClock();
    const [loadedTokens, loadedUsers, channels, prices, options] = await Promise.all([
      sources.loadTokens(null),
      sources.loadUsers(null),
      sources.loadChannels(),
      sources.loadPrices(),
      sources.loadOptions(),
    ]);
    tokens.clear();
    tokens.put(loadedTokens);
    users.clear();
    for (const user of loadedUsers) users.set(user.id, user);
    const revision = (loaded?.revision ?? 0) + 1;
    loaded = { sources, point, revision, prices, options, ...channelState(channels) };
  }

  async function loadAnew({ sources }: Loaded): Promise<void> {
    await load(sources);
    mustReload = false;
    onCallers();
  }

  /** Applies all changes there are, because the newest one may revoke access. */
  async function catchUp(): Promise<void> {
    const state = inForce();
    for (;;) {
      const { isBehind, changes } = await state.sources.listChanges(state.point);
      if (isBehind) onBehind();
      // The versions of a database that went back tell nothing: they name other changes.
      if (isBehind || mustReload) return await loadAnew(state);
      const changed = changedIds(state.point.version, changes);
      for (const [part, ids] of changed) await reloadPart(state, callers, part, [...ids]);
      if (changed.has("tokens") || changed.has("users")) onCallers();
      state.point = changes.at(-1) ?? state.point;
      if (changes.length < changesMax) return;
    }
  }

  const applyChanges = oneAtATime(catchUp);
  return {
    snapshot: viewOf(inForce, tokens, users),
    load,
    applyChanges,
    async reload() {
      mustReload = true;
      await applyChanges();
    },
    version: () => inForce().point.version,
  };
}

type Callers = {
  readonly tokens: ReturnType<typeof openTokenIndex>;
  readonly users: Map<number, UserView>;
};

/** Loads what has changed of one part; the id 0 means all of it. */
async function reloadPart(
  state: Loaded,
  { tokens, users }: Callers,
  part: ConfigPart,
  ids: readonly number[],
): Promise<void> {
  const { sources } = state;
  const all = ids.includes(0) ? null : ids;
  switch (part) {
    case "tokens": {
      const rows = await sources.loadTokens(all);
      // Null: all tokens were loaded again, so those that are not among them are gone.
      if (all === null) tokens.clear();
      tokens.put(rows);
      break;
    }
    case "users": {
      const rows = await sources.loadUsers(all);
      if (all === null) users.clear();
      for (const user of rows) users.set(user.id, user);
      break;
    }
    case "channels":
      Object.assign(state, channelState(await sources.loadChannels()));
      state.revision += 1;
      break;
    case "prices":
      state.prices = await sources.loadPrices();
      state.revision += 1;
      break;
    case "options":
      state.options = await sources.loadOptions();
      break;
  }
}

/**
 * Makes `run` never overlap with itself. A caller that arrives during a run waits for the next one,
 * which starts after the caller's commit.
 */
function oneAtATime(run: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined;
  let next: Promise<void> | undefined;
  return async () => {
    next ??= (running ?? Promise.resolve())
      .catch(() => {})
      .then(async () => {
        next = undefined;
        running = run();
        await running;
      });
    await next;
  };
}

/** Returns the ids that changed after `version`, for each part; the id 0 means all of the part. */
function changedIds(
  version: number,
  changes: readonly ConfigChange[],
): Map<ConfigPart, Set<number>> {
  const [first] = changes;
  // Versions have no gaps. If some are missing, other nodes removed them while this node was away.
  if (first !== undefined && first.version > version + 1) {
    return new Map(configParts.map((part) => [part, new Set([0])]));
  }
  const byPart = new Map<ConfigPart, Set<number>>();
  for (const { part, entity_id } of changes) {
    byPart.set(part, (byPart.get(part) ?? new Set()).add(entity_id));
  }
  return byPart;
}

/** Opens an index of tokens by the keyed hashes of their keys. */
function openTokenIndex() {
  const byLookup = new Map<string, TokenView>();
  const lookups = new Map<number, readonly string[]>();
  return {
    find: (lookup: string): TokenView | undefined => byLookup.get(lookup),
    clear(): void {
      byLookup.clear();
      lookups.clear();
    },
    put(tokens: readonly LoadedToken[]): void {
      for (const { id, found } of tokens) {
        for (const before of lookups.get(id) ?? []) byLookup.delete(before);
        if (found === null) {
          lookups.delete(id);
          continue;
        }
        const views = found.old === null ? [found.view] : [found.view, found.old];
        lookups.set(
          id,
          views.map(({ lookup }) => lookup),
        );
        for (const view of views) byLookup.set(view.lookup, view);
      }
    },
  };
}

function viewOf(
  inForce: () => Loaded,
  tokens: ReturnType<typeof openTokenIndex>,
  users: ReadonlyMap<number, UserView>,
): Snapshot {
  return {
    findToken: tokens.find,
    findUser: (id) => users.get(id),
    findChannel: (id) => inForce().channels.get(id),
    channels: () => inForce().channels.values(),
    tiersFor: (group, model) => inForce().offerings.get(group)?.get(model),
    groupsOffered: (model) => inForce().offered.get(model),
    modelsOf: (group) => [...(inForce().offerings.get(group)?.keys() ?? [])].toSorted(),
    get revision() {
      return inForce().revision;
    },
    get prices() {
      return inForce().prices;
    },
    get options() {
      return inForce().options;
    },
  };
}

function channelState(
  channels: readonly ChannelView[],
): Pick<Loaded, "channels" | "offered" | "offerings"> {
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

/**
 * Adds a channel of a model to the model's tiers. Channels arrive in descending priority, so the
 * channel belongs to the last tier or to a new one.
 */
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
