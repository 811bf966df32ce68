/**
 * Protects the address `/oauth/telegram`, to which Telegram sends the browser. Anybody can make a
 * user open such an address, so an answer is passed to the server only if this tab asked for it in
 * the last ten minutes, for the same user.
 */

import { storageKey } from "#page/base-path.ts";

/** Key in session storage, which other tabs cannot read. */
const key = storageKey("telegram-return");

/** How long the user may take at Telegram, in milliseconds. */
export const telegramLastsMs = 10 * 60_000;

/**
 * Makes and stores a nonce, which Telegram returns in the address. `userId`: the signed-in user; 0:
 * nobody is signed in. `proof`: the state by which this user has proven to own the account; empty:
 * none.
 */
export function keepTelegramReturn(userId: number, nowMs: number, proof = ""): string {
  const mark = crypto.randomUUID();
  sessionStorage.setItem(key, `${mark} ${userId} ${nowMs + telegramLastsMs} ${proof}`);
  return mark;
}

/**
 * Returns the proof that was stored with the nonce `mark`, if that is still valid and was made for
 * this user; undefined: it is not. The nonce is removed, so it can be used only once.
 */
export function takeTelegramReturn(
  mark: unknown,
  userId: number,
  nowMs: number,
): string | undefined {
  const [kept = "", owner, until, proof = ""] = (sessionStorage.getItem(key) ?? "").split(" ");
  sessionStorage.removeItem(key);
  if (kept === "" || kept !== mark || owner !== String(userId)) return undefined;
  const leftMs = Number(until) - nowMs;
  return leftMs > 0 && leftMs <= telegramLastsMs ? proof : undefined;
}
