/**
 * What nodes tell one another: by Redis where it is there, otherwise by the database. What is told in
 * a short while is one message. All of it are hints, which may be lost.
 */

import type { Redis } from "./redis.ts";

type HintStore = {
  tellHints(nodeId: string, hints: string): Promise<unknown>;
  listHints(nodeId: string): Promise<readonly StoredHints[]>;
};

type StoredHints = { readonly id: number; readonly nodeId: string; readonly hints: string };

type HintDeps = {
  readonly nodeId: string;
  readonly store: HintStore;
  /** Null: there is no Redis. */
  readonly redis: Redis | null;
  /** The number of nodes that share the database and take calls. */
  readonly nodeCount: () => number;
  /** Gets what another node has told. */
  readonly heard: (hint: unknown) => void;
};

type NodeHints = {
  /** Tells the other nodes soon. */
  tell(hint: object): void;
  /** Takes a text that the database has passed on. */
  heard(text: string): void;
  /** Looks for what the database could not pass on. */
  poll(): Promise<void>;
  close(): void;
};

/** How long hints are gathered for one message, in milliseconds. */
const gatherMs = 20;

/** The most hints of one message; those beyond are dropped. */
const gatheredMax = 100;

/** How many messages of the database are known by their ids, so that none is heard twice. */
const knownMax = 2_000;

export function openNodeHints({ nodeId, store, redis, nodeCount, heard }: HintDeps): NodeHints {
  let gathered: object[] = [];
  let sending: ReturnType<typeof setTimeout> | undefined;
  const known = new Set<number>();

  function take(text: string): void {
    const hints: unknown = parse(text);
    if (Array.isArray(hints)) for (const hint of hints) heard(hint);
  }

  function takeStored(stored: StoredHints): void {
    if (stored.nodeId === nodeId || known.has(stored.id)) return;
    known.add(stored.id);
    const oldest = known.values().next();
    if (known.size > knownMax && !oldest.done) known.delete(oldest.value);
    take(stored.hints);
  }

  function send(): void {
    sending = undefined;
    const hints = JSON.stringify(gathered);
    gathered = [];
    if (redis?.isUp() === true) redis.publish(JSON.stringify({ nodeId, hints }));
    // A database that is away has more to do than to pass hints on.
    else store.tellHints(nodeId, hints).catch(() => undefined);
  }

  redis?.subscribe((text) => {
    const message = parse(text);
    if (isMessage(message) && message.nodeId !== nodeId) take(message.hints);
  });
  return {
    tell(hint) {
      if (nodeCount() <= 1 || gathered.length >= gatheredMax) return;
      gathered.push(hint);
      sending ??= setTimeout(send, gatherMs);
    },
    heard(text) {
      const message = parse(text);
      if (isMessage(message) && "id" in message && typeof message.id === "number") {
        takeStored({ ...message, id: message.id });
      }
    },
    async poll() {
      if (nodeCount() <= 1) return;
      for (const stored of await store.listHints(nodeId)) takeStored(stored);
    },
    close: () => clearTimeout(sending),
  };
}

function isMessage(value: unknown): value is { readonly nodeId: string; readonly hints: string } {
  if (typeof value !== "object" || value === null) return false;
  return (
    "nodeId" in value &&
    typeof value.nodeId === "string" &&
    "hints" in value &&
    typeof value.hints === "string"
  );
}

/** Null: it is no JSON. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
