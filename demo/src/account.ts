/**
 * The account: the demo upstream's own record of what it served, against which the gateway's bill
 * is checked. It counts bytes that the kernel accepted, which may be a few megabytes more than the
 * client read.
 */

import type { Json } from "./json.ts";

/** The largest number of records that are kept; the totals still include older calls. */
export const recordsMax = 100_000;

export type DemoCallRecord = {
  /** Numbers the calls from 1, in order of arrival. Never reused, not even after a reset. */
  readonly id: number;
  readonly atMs: number;
  /** Empty when the body could not be read. */
  readonly model: string;
  /** `metadata.marker` of the body; without it, the first 64 characters of the last user text. */
  readonly marker: string;
  readonly stream: boolean;
  /** Number of pictures in the conversation. */
  readonly images: number;
  /** HTTP status, or what a refusal inside a 200 stands for; 0 until a response head is written. */
  readonly status: number;
  /** Tokens of the prompt; 0 until a response head with a status below 300 is written. */
  readonly promptTokens: number;
  /** Pieces of the answer that were written; each counts as one output token. */
  readonly completionTokens: number;
  /** The usage object that was written: as JSON, or as text if it is not valid JSON. Null: none. */
  readonly usageSent: Json;
  /**
   * Whether the last byte of the answer was written; an error response counts as an answer, too.
   */
  readonly complete: boolean;
  /**
   * Whether the client disconnected before the answer was complete. False if the script cut the
   * connection.
   */
  readonly aborted: boolean;
  /** Whether the call is still being answered. */
  readonly open: boolean;
  /** Last four characters of the Bearer key. */
  readonly key: string;
};

type DemoTotals = {
  readonly calls: number;
  readonly open: number;
  readonly maxOpen: number;
  readonly complete: number;
  readonly aborted: number;
  readonly promptTokens: number;
  readonly completionTokens: number;
};

/** What the account has recorded: the totals, and the records of calls, the oldest first. */
export type DemoAccount = {
  readonly totals: DemoTotals;
  readonly calls: readonly DemoCallRecord[];
};

type CallFacts = Pick<DemoCallRecord, "images" | "key" | "marker" | "model" | "stream">;

/** Reports the progress of one call that is being answered to the account. */
export type CallEntry = {
  wroteHead(status: number, promptTokens: number): void;
  wrotePieces(count: number): void;
  wroteUsage(usage: string): void;
  /**
   * Ends the call's record. Must be called once. `cut`: the script ended the call; `aborted`: the
   * client did.
   */
  close(ending: "complete" | "cut" | "aborted"): void;
};

export type Account = {
  open(facts: CallFacts): CallEntry;
  /** Returns the records with ids above `afterId`, of all markers or only of the given one. */
  read(filter?: { afterId?: number; marker?: string }): DemoAccount;
  /** Returns the ids of open calls, including those from before a reset. */
  openIds(): number[];
  /** Drops all records and totals. Open calls stay open and are no longer counted. */
  reset(): void;
};

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/**
 * A record as it is stored. Usage is kept as text, because parsing it a hundred thousand times
 * takes too long.
 */
type KeptRecord = Mutable<Omit<DemoCallRecord, "usageSent">> & { usageText: string | null };

export function openAccount(now: () => number): Account {
  const records = new Map<number, KeptRecord>();
  const openCalls = new Set<number>();
  let totals = emptyTotals(0);
  let lastId = 0;

  return {
    open(facts) {
      lastId += 1;
      const record: KeptRecord = { id: lastId, atMs: now(), ...facts, ...newRecord };
      records.set(lastId, record);
      records.delete(lastId - recordsMax);
      openCalls.add(lastId);
      totals.calls += 1;
      totals.open += 1;
      totals.maxOpen = Math.max(totals.maxOpen, totals.open);
      const mine = totals;
      return {
        wroteHead(status, promptTokens) {
          record.status = status;
          if (status >= 300) return;
          record.promptTokens = promptTokens;
          mine.promptTokens += promptTokens;
        },
        wrotePieces(count) {
          record.completionTokens += count;
          mine.completionTokens += count;
        },
        wroteUsage(usage) {
          record.usageText = usage;
        },
        close(ending) {
          record.open = false;
          openCalls.delete(record.id);
          totals.open -= 1;
          record.complete = ending === "complete";
          record.aborted = ending === "aborted";
          if (record.complete) mine.complete += 1;
          if (record.aborted) mine.aborted += 1;
        },
      };
    },
    read({ afterId = 0, marker } = {}) {
      const calls: DemoCallRecord[] = [];
      for (const record of records.values()) {
        if (record.id <= afterId || (marker !== undefined && record.marker !== marker)) continue;
        const { usageText, ...shown } = record;
        calls.push({ ...shown, usageSent: readUsage(usageText) });
      }
      return { totals: { ...totals }, calls };
    },
    openIds: () => [...openCalls],
    reset() {
      records.clear();
      totals = emptyTotals(openCalls.size);
    },
  };
}

const newRecord = {
  status: 0,
  promptTokens: 0,
  completionTokens: 0,
  usageText: null,
  complete: false,
  aborted: false,
  open: true,
};

function readUsage(text: string | null): Json {
  if (text === null) return null;
  try {
    // Safe cast: JSON.parse returns what `Json` describes.
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}

function emptyTotals(open: number): Mutable<DemoTotals> {
  return {
    calls: 0,
    open,
    maxOpen: open,
    complete: 0,
    aborted: 0,
    promptTokens: 0,
    completionTokens: 0,
  };
}
