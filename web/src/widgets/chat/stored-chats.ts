/**
 * The copy of the chat clients in local storage, which other programs may read and write. The
 * console takes the clients from the server, and only says when it found the copy damaged.
 */

import { storageKey } from "#page/base-path.ts";

let isDamaged = false;

/** Reads the copy once, before the console replaces it. */
export function judgeStoredChats(): void {
  const text = localStorage.getItem(storageKey("chats"));
  isDamaged = text !== null && !isJson(text);
}

/** Whether the copy was found damaged, and nobody was told of it. */
export function takeDamagedChats(): boolean {
  const was = isDamaged;
  isDamaged = false;
  return was;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
