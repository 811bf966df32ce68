/**
 * One budget for the memory of everything that has begun to arrive and is not complete: bodies of
 * requests, messages of WebSockets, answers that are read whole, long pieces of streams. Each user
 * has a share of it, so that nobody can fill it alone, and a little that nobody can take from it.
 */

import type { Gauge } from "#base/gauge.ts";

/** Whose memory it is: a user's id, or the address of a caller who is no user. */
export type Owner = number | string;

export type ByteBudget = {
  readonly bytesMax: number;
  /** What each owner may hold, however much the others do. */
  readonly ownerBytesMin: number;
  /** How many bytes are held now, in all and by owner. An owner that holds none is not listed. */
  bytes: number;
  readonly byOwner: Map<Owner, number>;
  /** How often more was refused. */
  refusals: number;
};

/**
 * Why nothing more may be held. `owner`: the owner holds its share; `all`: the others hold so much
 * that little is left.
 */
export type Shortage = "all" | "owner";

/** What reads something piece by piece needs to hold its memory. */
export type Memory = { readonly budget: ByteBudget; readonly owner: Owner };

/**
 * An owner may hold this part of what the others leave: alone a quarter of the budget, and less the
 * more the others hold.
 */
const share = 1 / 4;

/** Nearly every request and message is smaller, so that most callers never notice the others. */
const ownerBytesUsual = 1024 * 1024;

/** An unfinished thing up to this size is not counted where there is one for each connection. */
export const uncountedBytes = 16 * 1024;

export function openByteBudget(bytesMax: number, ownerBytesMin = ownerBytesUsual): ByteBudget {
  return { bytesMax, ownerBytesMin, bytes: 0, byOwner: new Map(), refusals: 0 };
}

/** The memory of one unfinished thing. It must be freed, however the thing ends. */
export class HeldBytes {
  bytes = 0;
  private readonly budget: ByteBudget;
  private readonly owner: Owner;

  constructor({ budget, owner }: Memory) {
    this.budget = budget;
    this.owner = owner;
  }

  /**
   * Holds so many bytes in all, more or fewer than before.
   *
   * @returns why not; null: they are held. If not, as many are held as before.
   */
  hold(bytes: number): Shortage | null {
    const { budget, owner } = this;
    const more = bytes - this.bytes;
    const ofOwner = (budget.byOwner.get(owner) ?? 0) + more;
    if (more > 0) {
      const shortage = shortageOf(budget, budget.bytes + more, ofOwner);
      // One thing alone may have any size that its own limit allows.
      if (shortage !== null && budget.bytes > this.bytes) {
        budget.refusals += 1;
        return shortage;
      }
    }
    this.bytes = bytes;
    budget.bytes += more;
    if (ofOwner > 0) budget.byOwner.set(owner, ofOwner);
    else budget.byOwner.delete(owner);
    return null;
  }

  /** Frees all of it. May be called again. */
  free(): void {
    if (this.bytes > 0) this.hold(0);
  }
}

/** @param bytes and `ofOwner` what would be held. */
function shortageOf(
  { bytesMax, ownerBytesMin }: ByteBudget,
  bytes: number,
  ofOwner: number,
): Shortage | null {
  const left = bytesMax - (bytes - ofOwner);
  if (ofOwner <= Math.max(ownerBytesMin, left * share)) return null;
  return ofOwner > bytesMax * share ? "owner" : "all";
}

/** The least and the most that the budget is, unless the operator says otherwise. */
const usualBytesMin = 128 * 1024 * 1024;
const usualBytesMax = 512 * 1024 * 1024;
/** The part of the machine's memory that it may be. */
const usualPart = 1 / 8;

/** Returns the size of the budget of a machine with so much memory. */
export function usualBudget(machineBytes: number): number {
  return Math.floor(Math.min(usualBytesMax, Math.max(usualBytesMin, machineBytes * usualPart)));
}

export function budgetGauges(budget: ByteBudget): Gauge[] {
  return [
    {
      name: "tollgate_unfinished_bytes",
      help: "Memory of requests, messages and answers that are not complete.",
      read: () => budget.bytes,
    },
    {
      name: "tollgate_unfinished_bytes_max",
      help: "The most that this memory may be.",
      read: () => budget.bytesMax,
    },
    {
      name: "tollgate_unfinished_refused",
      help: "Requests, messages and answers that were ended for want of this memory.",
      read: () => budget.refusals,
    },
  ];
}
