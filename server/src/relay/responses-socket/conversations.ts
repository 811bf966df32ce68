/**
 * What a WebSocket has seen of its conversations, so that a response can continue another by its id
 * without anything being stored. Each response keeps only the items that it has added; those before
 * are of the response that it continues. All of it is freed when the WebSocket ends.
 */

import { HeldBytes, type Memory } from "#base/memory/byte-budget.ts";
import { joinedBy } from "./raw-fields.ts";

/** The most responses of one WebSocket that can be continued; of more, the oldest are forgotten. */
const responsesKeptMax = 64;
/** A response with a longer id cannot be continued. In characters. */
const idLengthMax = 256;
/** What a kept response takes besides its items, in bytes. */
const keptBytesMin = 512;
/** The part of the budget of unfinished memory that all conversations together may hold. */
const budgetPart = 1 / 4;

/** What all WebSockets of a relay hold for conversations. */
export type ConversationMemory = { bytes: number };

export type Kept = {
  readonly before: Kept | null;
  /** Its items as JSON, separated by commas; possibly empty. */
  readonly items: Uint8Array;
  /** How many continue it, or may still. At 0 it is forgotten. */
  uses: number;
};

export class Conversations {
  private readonly held: HeldBytes;
  private readonly memory: Memory;
  private readonly all: ConversationMemory;
  private readonly bytesMax: number;
  private readonly byId = new Map<string, Kept>();
  private isFreed = false;

  /** @param bytesMax the most that this WebSocket may hold. */
  constructor(memory: Memory, all: ConversationMemory, bytesMax: number) {
    this.held = new HeldBytes(memory);
    this.memory = memory;
    this.all = all;
    this.bytesMax = bytesMax;
  }

  /** Finds a response to continue; `letGo` must be called with it. Null: it is not known. */
  take(id: string): Kept | null {
    const kept = this.byId.get(id) ?? null;
    if (kept !== null) kept.uses += 1;
    return kept;
  }

  /** Keeps what a response has added, if there is memory for it. */
  keep(id: string, before: Kept | null, items: Uint8Array): void {
    if (this.isFreed || id === "" || id.length > idLengthMax) return;
    this.forget(id);
    const needed = sizeOf(items);
    // What can never fit costs the others nothing.
    if (needed > this.bytesMax || !this.makeRoom(needed)) return;
    if (before !== null) before.uses += 1;
    this.byId.set(id, { before, items, uses: 1 });
  }

  /** Forgets the oldest until there is room for so much more. Returns whether it is held. */
  private makeRoom(needed: number): boolean {
    const isTooMuch = (): boolean => {
      const allMax = this.memory.budget.bytesMax * budgetPart;
      const isOver =
        this.byId.size >= responsesKeptMax ||
        this.held.bytes + needed > this.bytesMax ||
        this.all.bytes + needed > allMax;
      return isOver || this.held.hold(this.held.bytes + needed) !== null;
    };
    while (isTooMuch()) {
      const [oldest] = this.byId.keys();
      if (oldest === undefined) return false;
      this.forget(oldest);
    }
    this.all.bytes += needed;
    return true;
  }

  private forget(id: string): void {
    const kept = this.byId.get(id);
    if (kept === undefined) return;
    this.byId.delete(id);
    this.letGo(kept);
  }

  /** Ends the use of a response, which is forgotten with the last one. */
  letGo(kept: Kept | null): void {
    let last = kept;
    while (last !== null) {
      last.uses -= 1;
      if (last.uses > 0) return;
      this.release(sizeOf(last.items));
      last = last.before;
    }
  }

  private release(bytes: number): void {
    if (this.isFreed) return;
    this.held.hold(this.held.bytes - bytes);
    this.all.bytes -= bytes;
  }

  /** Frees all of it; nothing is kept any more. */
  free(): void {
    if (this.isFreed) return;
    this.isFreed = true;
    this.all.bytes -= this.held.bytes;
    this.held.free();
    this.byId.clear();
  }
}

function sizeOf(items: Uint8Array): number {
  return items.length + keptBytesMin;
}

/** Returns all items of a conversation, and then these, as JSON separated by commas. */
export function itemsAfter(before: Kept | null, own: Uint8Array): Uint8Array {
  const parts = own.length > 0 ? [own] : [];
  for (let kept = before; kept !== null; kept = kept.before) {
    if (kept.items.length > 0) parts.push(kept.items);
  }
  return joinedBy(",", parts.reverse());
}
