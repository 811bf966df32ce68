/** The conversations stored in this browser, separately for each user and within limits. */

import { z } from "zod";
import { type Conversation, conversation, settled } from "./conversation.ts";

export const conversationsMax = 20;

/** Characters of all of them as JSON; browsers give a site some five million. */
export const charactersMax = 1_500_000;

/** The part of `localStorage` that is used here. */
export type Shelf = Pick<Storage, "getItem" | "removeItem" | "setItem">;

const keyOf = (userId: number): string => `playground-${userId}`;

/** Newest first; unreadable ones are left out. */
export function readHistory(shelf: Shelf, userId: number): readonly Conversation[] {
  const kept = z.array(z.unknown()).safeParse(parse(shelf.getItem(keyOf(userId))));
  return (kept.data ?? []).flatMap((value) => {
    const { data } = conversation.safeParse(value);
    return data === undefined ? [] : [{ ...data, messages: [...settled(data.messages)] }];
  });
}

/** Stores a conversation as the newest; one without messages is deleted. */
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
      // The browser has less room than expected: the oldest conversation is dropped.
    }
  }
}

/** The newest conversations that fit. The first one loses its pictures before it is dropped. */
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
