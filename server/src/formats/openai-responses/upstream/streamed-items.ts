/**
 * Knows the items of a streamed answer again. The events of a stream name an item by its id and by
 * its place, and the whole answer at the end lists the items once more. Servers number the places of
 * a stream otherwise than those of the list, or give an item another id in each event.
 */

/** An item of a streamed answer. */
export type StreamedItem = {
  readonly id: string;
  readonly place: number;
  readonly kind: string;
  readonly callId: string;
  /** Numbers the items in the order in which they were first seen. */
  readonly block: number;
  /** Whether its content has been streamed, so that its end does not repeat it. */
  streamed: boolean;
  ended: boolean;
  /** For calls: pieces of the arguments that wait for the call ahead to end. */
  pieces: string;
  /** Whether the call has begun. */
  called: boolean;
};

/** By what an event names its item. Empty texts: it does not say. */
export type ItemName = {
  readonly id: string;
  readonly place: number;
  /** `type` of the item. */
  readonly kind: string;
  readonly callId: string;
};

export type StreamedItems = {
  /** Notes an item that begins. */
  add(name: ItemName): StreamedItem;
  /** Returns the item that an event is about, which may be a new one. */
  find(name: ItemName): StreamedItem;
  /**
   * Returns for each item of the list at the end the one that was streamed; undefined: none was. An
   * item of the stream stands for one of the list.
   */
  matchAll(names: readonly ItemName[]): readonly (StreamedItem | undefined)[];
};

export function openStreamedItems(): StreamedItems {
  const all: StreamedItem[] = [];
  const byId = new Map<string, StreamedItem>();
  const byCall = new Map<string, StreamedItem>();
  const byPlace = new Map<number, StreamedItem>();
  const byKind = new Map<string, StreamedItem>();

  function make({ id, place, kind, callId }: ItemName): StreamedItem {
    const block = all.length;
    const state = { streamed: false, ended: false, pieces: "", called: false };
    const item: StreamedItem = { id, place, kind, callId, block, ...state };
    all.push(item);
    if (id !== "") byId.set(id, item);
    if (callId !== "") byCall.set(callId, item);
    byPlace.set(place, item);
    byKind.set(kind, item);
    return item;
  }

  function known(name: ItemName): StreamedItem | undefined {
    const named = byId.get(name.id);
    if (named !== undefined && fits(named, name)) return named;
    const called = byCall.get(name.callId);
    if (called !== undefined && fits(called, name)) return called;
    const placed = byPlace.get(name.place);
    if (placed?.ended === false && fits(placed, name)) return placed;
    const last = byKind.get(name.kind);
    const isOpen = last?.ended === false && fits(last, name);
    return isOpen && (last.id === "" || name.id === "") ? last : undefined;
  }

  return {
    add(name) {
      const same = byId.get(name.id);
      return same?.ended === false && fits(same, name) ? same : make(name);
    },
    find: (name) => known(name) ?? make(name),
    matchAll: (names) => matchAll(all, names),
  };
}

/** Whether an item may be the one that is named. */
function fits(item: StreamedItem, { kind, callId }: ItemName): boolean {
  return item.kind === kind && (item.callId === callId || item.callId === "" || callId === "");
}

/**
 * Finds the items of the list in the stream: first by their ids and those of their calls, then those
 * that are left by their kinds, in their order. Where ids of both are the same, one that only the
 * list has is of an item that was not streamed.
 */
function matchAll(
  streamed: readonly StreamedItem[],
  names: readonly ItemName[],
): readonly (StreamedItem | undefined)[] {
  const left = new Set(streamed);
  const ids = queues(streamed, ({ kind, id }) => (id === "" ? "" : `${kind} ${id}`));
  const calls = queues(streamed, ({ kind, callId }) => (callId === "" ? "" : `${kind} ${callId}`));
  let isStable = false;
  const found = names.map((name) => {
    const { kind, id, callId } = name;
    const call = callId === "" ? undefined : take(calls.get(`${kind} ${callId}`), left, name);
    const same = call ?? take(ids.get(`${kind} ${id}`), left, name);
    isStable ||= same !== undefined && same.id === id && id !== "";
    return same;
  });
  const kinds = queues([...left], ({ kind }) => kind);
  const areNamed = isStable && [...left].every(({ id }) => id !== "");
  return names.map((name, index) => {
    const same = found[index];
    if (same !== undefined || (areNamed && name.id !== "")) return same;
    return take(kinds.get(name.kind), left, name);
  });
}

function queues(
  items: readonly StreamedItem[],
  keyOf: (item: StreamedItem) => string,
): ReadonlyMap<string, StreamedItem[]> {
  const found = new Map<string, StreamedItem[]>();
  for (const item of items.toReversed()) {
    const key = keyOf(item);
    if (key === "") continue;
    const known = found.get(key);
    if (known === undefined) found.set(key, [item]);
    else known.push(item);
  }
  return found;
}

/** Takes the first item that is left and may be the named one. */
function take(
  queue: StreamedItem[] | undefined,
  left: Set<StreamedItem>,
  name: ItemName,
): StreamedItem | undefined {
  while (queue !== undefined && queue.length > 0) {
    const item = queue.at(-1);
    if (item === undefined || (left.has(item) && !fits(item, name))) return undefined;
    queue.pop();
    if (left.delete(item)) return item;
  }
  return undefined;
}
