/**
 * The addresses of upstream hosts, checked before anything is sent. A host name is resolved here,
 * and the connection goes to the very address that was checked. If the name were resolved again for
 * the connection, the second answer could be another address (DNS rebinding).
 */

/** Resolves a host name to its addresses, best first. Rejects when there are none. */
type Resolve = (host: string) => Promise<readonly string[]>;

export type FoundAddress =
  | {
      readonly kind: "found";
      readonly address: string;
      /** How many addresses the host has. */
      readonly count: number;
    }
  /** The host has an address that may not be connected to. */
  | { readonly kind: "forbidden" }
  /** The name does not resolve at the moment. */
  | { readonly kind: "unresolved" };

export type AddressBook = {
  /**
   * Finds the checked address of a host. Returns no promise for IP addresses and for names resolved
   * recently.
   */
  find(host: string): FoundAddress | Promise<FoundAddress>;
  /**
   * Notes that the host did not answer at this address, so that its other addresses come first for
   * a while.
   */
  avoid(host: string, address: string): void;
  /**
   * Returns the host's best address that is not among those tried; null: there is none, or the host
   * has become forbidden.
   */
  after(host: string, tried: readonly string[]): string | null;
};

type AddressBookDeps = {
  readonly allows: (address: string) => boolean;
  readonly resolve: Resolve;
  /** Monotonic milliseconds. */
  readonly nowMs: () => number;
};

/** How long resolved addresses are cached. */
export const addressesMs = 30_000;

/**
 * How many hosts are kept; beyond that the oldest entry is dropped. Few are needed, because only
 * administrators name hosts.
 */
const hostsMax = 1_024;

/** The largest number of addresses that are kept of a host. */
const addressesMax = 16;

/** How long an address that did not answer comes last, also if the name is resolved meanwhile. */
export const deadMs = 300_000;

type Entry = {
  readonly found: FoundAddress;
  /** All of them are allowed if the host is found, and the best comes first. */
  readonly addresses: readonly string[];
  readonly untilMs: number;
  /** When each of the addresses that did not answer failed last. */
  readonly failedMs: ReadonlyMap<string, number>;
};

const noFailures: Entry["failedMs"] = new Map();

export function openAddressBook({ allows, resolve, nowMs }: AddressBookDeps): AddressBook {
  const entries = new Map<string, Entry>();
  const asking = new Map<string, Promise<FoundAddress>>();

  function remember(host: string, entry: Entry): void {
    entries.delete(host);
    entries.set(host, entry);
    const oldest = entries.keys().next();
    if (entries.size > hostsMax && !oldest.done) entries.delete(oldest.value);
  }

  async function ask(host: string): Promise<FoundAddress> {
    let addresses: string[];
    try {
      addresses = [...new Set(await resolve(host))];
    } catch {
      return { kind: "unresolved" };
    }
    const failedMs = entries.get(host)?.failedMs ?? noFailures;
    const entry = judge(addresses, nowMs() + addressesMs, failedMs);
    if (entry.found.kind !== "unresolved") remember(host, entry);
    return entry.found;
  }

  /**
   * Judges the addresses of a host. If one is forbidden, the host is: no honest host lists such an
   * address.
   */
  function judge(all: readonly string[], untilMs: number, failed: Entry["failedMs"]): Entry {
    if (!all.every(allows)) {
      return { found: { kind: "forbidden" }, addresses: [], untilMs, failedMs: noFailures };
    }
    const kept = all.slice(0, addressesMax);
    const dueMs = nowMs() - deadMs;
    const failedMs = new Map(
      [...failed].filter(([address, atMs]) => kept.includes(address) && atMs > dueMs),
    );
    const failedAt = (address: string): number => failedMs.get(address) ?? -1;
    const addresses = kept.toSorted((one, other) => failedAt(one) - failedAt(other));
    const [address] = addresses;
    const found: FoundAddress =
      address === undefined
        ? { kind: "unresolved" }
        : { kind: "found", address, count: addresses.length };
    return { found, addresses, untilMs, failedMs };
  }

  return {
    find(host) {
      const entry = entries.get(host);
      if (entry !== undefined && entry.untilMs > nowMs()) return entry.found;
      if (isLiteral(host)) {
        const judged = judge([host.replace(/^\[(.*)\]$/, "$1")], Infinity, noFailures);
        remember(host, judged);
        return judged.found;
      }
      const known = asking.get(host);
      if (known !== undefined) return known;
      const answer = ask(host).finally(() => asking.delete(host));
      asking.set(host, answer);
      return answer;
    },
    avoid(host, address) {
      const entry = entries.get(host);
      if (entry === undefined || entry.addresses.length < 2) return;
      const failedMs = new Map(entry.failedMs).set(address, nowMs());
      entries.set(host, judge(entry.addresses, entry.untilMs, failedMs));
    },
    after: (host, tried) =>
      entries.get(host)?.addresses.find((address) => !tried.includes(address)) ?? null,
  };
}

function isLiteral(host: string): boolean {
  return host.startsWith("[") || /^\d{1,3}(\.\d{1,3}){3}$/.test(host);
}
