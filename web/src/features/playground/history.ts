/**
 * Stores conversations in the browser, separately for each user, up to a limited number and size.
 */

import { z } from "zod";
import { storageKey } from "#page/base-path.ts";
import { type Conversation, conversation, settled } from "./conversation.ts";

export const conversationsMax = 20;

/**
 * The largest total size of the stored conversations, in characters of JSON. Browsers allow about
 * five million per site.
 */
export const charactersMax = 1_500_000;

/** The functions of `localStorage` that this file uses. */
export type Shelf = Pick<Storage, "getItem" | "removeItem" | "setItem">;

const keyOf = (userId: number): string => storageKey(`playground-${userId}`);

/** Reads a user's stored conversations, newest first; those that cannot be parsed are left out. */
export function readHistory(shelf: Shelf, userId: number): readonly Conversation[] {
  const kept = z.array(z.unknown()).safeParse(parse(shelf.getItem(keyOf(userId))));
  return (kept.data ?? []).flatMap((value) => {
    const { data } = conversation.safeParse(value);
    return data === undefined ? [] : [{ ...data, messages: [...settled(data.messages)] }];
  });
}

/** Stores a conversation as the newest one. A conversation without messages is removed instead. */
export function keepConversation(shelf: Shelf, userId: number, kept: Conversation): void {
  const others = readHistory(shelf, userId).filter(({ id }) => id !== kept.id);
  write(shelf, userId, kept.messages.length === 0 ? others : [kept, ...others]);
}

export function forgetConversation(shelf: Shelf, userId: number, id: string): void {
  const left = readHistory(shelf, userId).filter((one) => one.id !== id);
  write(shelf, userId, left);
}

export function forgetHistory(shelf: Shelf, userId: number): void {
  shelf.removeItem(keyOf(userId));
}

function write(shelf: Shelf, userId: number, conversations: readonly Conversation[]): void {
  for (let kept = fit(conversations); ; kept = kept.slice(0, -1)) {
    if (kept.length === 0) return shelf.removeItem(keyOf(userId));
    try {
      return shelf.setItem(keyOf(userId), JSON.stringify(kept));
    } catch {
      // The browser has less storage than expected: the oldest conversation is dropped, and storing
      // tried again.
    }
  }
}

/**
 * Returns as many of the newest conversations as fit. The very newest is always kept: if it is too
 * large, it loses its pictures, then its oldest messages.
 */
export function fit(conversations: readonly Conversation[]): readonly Conversation[] {
  const fitting: Conversation[] = [];
  let room = charactersMax;
  for (const one of conversations.slice(0, conversationsMax)) {
    const kept = fitting.length === 0 ? shrink(one, room) : one;
    room -= JSON.stringify(kept).length;
    if (room < 0) break;
    fitting.push(kept);
  }
  return fitting;
}

function shrink(one: Conversation, room: number): Conversation {
  if (JSON.stringify(one).length <= room) return one;
  const plain = {
    ...one,
    messages: one.messages.map((message) =>
      message.role === "user" ? { ...message, images: [] } : message,
    ),
  };
  let { messages } = plain;
  while (messages.length > 0 && JSON.stringify({ ...plain, messages }).length > room) {
    messages = messages.slice(Math.ceil(messages.length / 4));
  }
  return { ...plain, messages };
}

function parse(text: string | null): unknown {
  try {
    return JSON.parse(text ?? "[]");
  } catch {
    return [];
  }
}
