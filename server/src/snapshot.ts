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
import type {
  ChannelView,
  PriceVersion,
  RelayOptions,
  Snapshot,
  TokenView,
  UserView,
} from "#ports/snapshot.ts";
import { StoreUnavailable } from "#db/store-unavailable.ts";
import {
  heldMax as usualHeldMax,
  openTokenIndex,
  type PackedToken,
  type TokenIndex,
} from "#relay/callers/token-index.ts";
import { openTokenReads } from "#relay/callers/token-reads.ts";
import { offerChannels, type OfferedChannels } from "#relay/routing/offer-channels.ts";

/** How the modules load each part of the snapshot. */
type SnapshotSources = {
  readonly readClock: () => Promise<ChangePoint>;
  readonly listChanges: (point: ChangePoint) => Promise<ChangesAfter>;
  /** Whether there are more tokens than `most`. */
  readonly hasMoreTokens: (most: number) => Promise<boolean>;
  readonly loadTokens: (ids: readonly number[]) => Promise<readonly PackedToken[]>;
  /** Loads some of the tokens with larger ids, in their order, as packed rows. */
  readonly loadTokensAfter: (id: number) => Promise<TokenPage>;
  readonly findByLookup: (lookup: string) => Promise<PackedToken | undefined>;
  readonly openToken: (packed: string, lookup: string) => TokenView;
  readonly loadUsers: (ids: readonly number[]) => Promise<readonly UserView[]>;
  readonly loadUsersAfter: (id: number) => Promise<readonly UserView[]>;
  /** If `ids` is null, loads all channels. */
  readonly loadChannels: (ids: readonly number[] | null) => Promise<readonly ChannelView[]>;
  readonly loadPrices: () => Promise<PriceVersion>;
  readonly loadOptions: () => Promise<RelayOptions>;
};

/** `last` is the id of the last token; 0: there are no more. */
type TokenPage = { readonly last: number; readonly rows: Uint8Array };

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

type Loaded = OfferedChannels & {
  readonly sources: SnapshotSources;
  /** The newest change that is applied. */
  point: ChangePoint;
  revision: number;
  prices: PriceVersion;
  options: RelayOptions;
};

/**
 * Opens the snapshot; `load` fills it.
 *
 * @param onCallers called when users or tokens have changed.
 * @param onBehind called when the database lacks changes that the snapshot has applied.
 * @param heldMax the most tokens that are all kept in memory; absent: the usual number.
 */
export function openSnapshot(
  onCallers: () => void,
  onBehind: () => void,
  heldMax = usualHeldMax,
): LiveSnapshot {
  let loaded: Loaded | undefined;
  let mustReload = false;

  function inForce(): Loaded {
    if (loaded === undefined) throw new Error("the configuration has not been read yet");
    return loaded;
  }

  const openToken = (packed: string, lookup: string) => inForce().sources.openToken(packed, lookup);
  const tokens = openTokenIndex(openToken, heldMax);
  const callers: Callers = { tokens, users: new Map(), userChanges: 0, heldMax };
  const readUser = async (id: number) => await readInto(inForce().sources, callers, id);
  const readToken = openTokenReads(
    tokens,
    async (lookup) => {
      const found = await inForce().sources.findByLookup(lookup);
      if (found !== undefined) await readUser(openToken(found.packed, lookup).userId);
      return found;
    },
    () => new StoreUnavailable("too many unknown keys are looked for at the same time"),
  );

  async function load(sources: SnapshotSources): Promise<void> {
    const point = await sources.readClock();
    const [, , channels, prices, options] = await Promise.all([
      loadAllTokens(sources, callers),
      loadAllUsers(sources, callers),
      sources.loadChannels(null),
      sources.loadPrices(),
      sources.loadOptions(),
    ]);
    const revision = (loaded?.revision ?? 0) + 1;
    loaded = { sources, point, revision, prices, options, ...offerChannels(channels) };
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
    snapshot: viewOf(inForce, callers, { readToken, readUser }),
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
  readonly tokens: TokenIndex;
  /** Those with a key, administrators, and others who were asked for. */
  users: Map<number, UserView>;
  /** Another number each time that users were read because they have changed. */
  userChanges: number;
  readonly heldMax: number;
};

/** How many of the tokens that are kept are read again by one statement. */
const rereadMax = 2_000;

/**
 * Loads all tokens in pages; where there are too many to keep, those that are kept are read again.
 * The present ones stay in force until all are read.
 */
async function loadAllTokens(sources: SnapshotSources, { tokens, heldMax }: Callers) {
  const fresh = tokens.refill();
  const isWhole = !(await sources.hasMoreTokens(heldMax));
  if (isWhole) {
    await readPages(sources.loadTokensAfter, ({ rows }) => fresh.addPage(rows));
  } else {
    const ids = tokens.ids();
    for (let from = 0; from < ids.length; from += rereadMax) {
      fresh.add(await sources.loadTokens(ids.slice(from, from + rereadMax)));
    }
  }
  fresh.done(isWhole);
}

/** Reads rows in pages; while one is taken over, the next is read. */
async function readPages<Page extends { readonly last: number }>(
  readAfter: (id: number) => Promise<Page>,
  take: (page: Page) => void,
): Promise<void> {
  for (let page = await readAfter(0); page.last !== 0;) {
    const next = readAfter(page.last);
    take(page);
    page = await next;
  }
}

async function loadAllUsers(sources: SnapshotSources, callers: Callers): Promise<void> {
  const fresh = new Map<number, UserView>();
  const looked = new Set<number>();
  const missing = (): number[] =>
    [...callers.users.keys()].filter((id) => !fresh.has(id) && !looked.has(id)).slice(0, rereadMax);
  const readAfter = async (id: number) => {
    const users = await sources.loadUsersAfter(id);
    return { users, last: users.at(-1)?.id ?? 0 };
  };
  await readPages(readAfter, ({ users }) => {
    for (const user of users) fresh.set(user.id, user);
  });
  // Users who were read by their id may have no API key: the pages above leave them out.
  for (let asked = missing(); asked.length > 0; asked = missing()) {
    for (const id of asked) looked.add(id);
    for (const user of await sources.loadUsers(asked)) fresh.set(user.id, user);
  }
  callers.users = fresh;
  callers.userChanges += 1;
}

/** Reads a user who was asked for, unless it may have changed while it was read. */
async function readInto(
  { loadUsers }: SnapshotSources,
  callers: Callers,
  id: number,
): Promise<UserView | undefined> {
  for (;;) {
    const known = callers.users.get(id);
    if (known !== undefined) return known;
    const before = callers.userChanges;
    const [found] = await loadUsers([id]);
    if (callers.userChanges !== before) continue;
    if (found !== undefined) callers.users.set(id, found);
    return found;
  }
}

/** Takes over how tokens are now, whose users may have had none before. */
async function putTokens(
  { loadUsers, openToken }: SnapshotSources,
  { tokens, users }: Callers,
  changed: readonly PackedToken[],
): Promise<void> {
  const owners = changed.flatMap(({ lookups: [lookup = ""], packed }) =>
    packed === "" ? [] : [openToken(packed, lookup).userId],
  );
  const strangers = [...new Set(owners)].filter((id) => !users.has(id));
  if (strangers.length > 0) {
    for (const user of await loadUsers(strangers)) users.set(user.id, user);
  }
  tokens.put(changed);
}

/** Puts channels that were loaded again in place of those with these ids, in the order of ids. */
function replaceChannels(
  channels: ReadonlyMap<number, ChannelView>,
  ids: readonly number[],
  loaded: readonly ChannelView[],
): ChannelView[] {
  const others = [...channels.values()].filter(({ id }) => !ids.includes(id));
  return [...others, ...loaded].toSorted((a, b) => a.id - b.id);
}

/** Loads what has changed of one part; the id 0 means all of it. */
async function reloadPart(
  state: Loaded,
  callers: Callers,
  part: ConfigPart,
  ids: readonly number[],
): Promise<void> {
  const { sources } = state;
  const isAll = ids.includes(0);
  switch (part) {
    case "tokens":
      if (isAll) {
        // The users first: a key whose user is not there is refused.
        await loadAllUsers(sources, callers);
        await loadAllTokens(sources, callers);
      } else await putTokens(sources, callers, await sources.loadTokens(ids));
      break;
    case "users":
      if (isAll) await loadAllUsers(sources, callers);
      else {
        for (const user of await sources.loadUsers(ids)) callers.users.set(user.id, user);
        callers.userChanges += 1;
      }
      break;
    case "channels": {
      const loaded = await sources.loadChannels(isAll ? null : ids);
      const all = isAll ? loaded : replaceChannels(state.channels, ids, loaded);
      Object.assign(state, offerChannels(all));
      state.revision += 1;
      break;
    }
    case "prices":
      state.prices = await sources.loadPrices();
      state.revision += 1;
      break;
    case "options":
      state.options = await sources.loadOptions();
      // Plans follow from some of them.
      state.revision += 1;
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

function viewOf(
  inForce: () => Loaded,
  callers: Callers,
  { readToken, readUser }: Pick<Snapshot, "readToken" | "readUser">,
): Snapshot {
  return {
    findToken: callers.tokens.find,
    readToken,
    findUser: (id) => callers.users.get(id),
    readUser,
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
