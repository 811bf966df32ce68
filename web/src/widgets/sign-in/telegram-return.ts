/**
 * Checks the address to which Telegram returns. Anybody can forge one, so only an answer that this
 * tab asked for lately, for the same user, is passed on to the server.
 */

/** Key in session storage, of this tab alone. */
const key = "telegram-return";

/** How long the user may take, in milliseconds. */
export const telegramLastsMs = 10 * 60_000;

/** Makes a nonce that Telegram must return. `userId`: the signed-in user; 0: nobody. */
export function keepTelegramReturn(userId: number, nowMs: number): string {
  const mark = crypto.randomUUID();
  sessionStorage.setItem(key, `${mark} ${userId} ${nowMs + telegramLastsMs}`);
  return mark;
}

/** Whether it is the stored nonce; it can be used only once. */
export function takeTelegramReturn(mark: unknown, userId: number, nowMs: number): boolean {
  const [kept = "", owner, until] = (sessionStorage.getItem(key) ?? "").split(" ");
  sessionStorage.removeItem(key);
  if (kept === "" || kept !== mark || owner !== String(userId)) return false;
  const leftMs = Number(until) - nowMs;
  return leftMs > 0 && leftMs <= telegramLastsMs;
}
