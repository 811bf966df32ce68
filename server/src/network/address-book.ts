/**
 * The addresses of upstream hosts, checked before anything is sent. A host name is resolved here,
 * and the connection goes to the very address that was checked. If the name were resolved again for
 * the connection, the second answer could be another address (DNS rebinding).
 */

/** Resolves a host name to its addresses, best first. Rejects when there are none. */
type Resolve = (host: string) => Promise<readonly string[]>;

export type FoundAddress =
  | { readonly kind: "found"; readonly address: string }
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
   * Notes that the host did not answer at this address, so that another of its addresses comes
   * first from now on.
   */
  avoid(host: string, address: string): void;
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

type Entry = { found: FoundAddress; addresses: string[]; untilMs: number };

export function openAddressBook({ allows, resolve, nowMs }: AddressBookDeps): AddressBook {
  const entries = new Map<string, Entry>();
  const asking = new Map<string, Promise<FoundAddress>>();

  function remember(host: string, found: FoundAddress, addresses: string[], untilMs: number): void {
    entries.delete(host);
    entries.set(host, { found, addresses, untilMs });
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
    const found = judge(addresses);
    if (found.kind !== "unresolved") remember(host, found, addresses, nowMs() + addressesMs);
    return found;
  }

  /**
   * Judges the addresses of a host. If one is forbidden, the host is: no honest host lists such an
   * address.
   */
  function judge(addresses: readonly string[]): FoundAddress {
    const [address] = addresses;
    if (address === undefined) return { kind: "unresolved" };
    return addresses.every(allows) ? { kind: "found", address } : { kind: "forbidden" };
  }

  return {
    find(host) {
      const entry = entries.get(host);
      if (entry !== undefined && entry.untilMs > nowMs()) return entry.found;
      if (isLiteral(host)) {
        const address = host.replace(/^\[(.*)\]$/, "$1");
        const found = judge([address]);
        remember(host, found, [address], Infinity);
        return found;
      }
      const known = asking.get(host);
      if (known !== undefined) return known;
      const answer = ask(host).finally(() => asking.delete(host));
      asking.set(host, answer);
      return answer;
    },
    avoid(host, address) {
      const entry = entries.get(host);
      if (entry === undefined || entry.addresses[0] !== address) return;
      entry.addresses.push(...entry.addresses.splice(0, 1));
      entry.found = judge(entry.addresses);
    },
  };
}

function isLiteral(host: string): boolean {
  return host.startsWith("[") || /^\d{1,3}(\.\d{1,3}){3}$/.test(host);
}
