/**
 * The way back from Telegram, which is an address anybody can make: only what this tab asked for
 * itself, a moment ago and signed in as now, is handed on to the server.
 */

/** Session storage's name for it, of this tab alone. */
const key = "telegram-return";

/** How long somebody may take, in milliseconds. */
export const telegramLastsMs = 10 * 60_000;

/** A mark that has to come back. `userId`: who is signed in; 0: nobody. */
export function keepTelegramReturn(userId: number, nowMs: number): string {
  const mark = crypto.randomUUID();
  sessionStorage.setItem(key, `${mark} ${userId} ${nowMs + telegramLastsMs}`);
  return mark;
}

/** Whether the mark is the one that was kept; it is none afterwards. */
export function takeTelegramReturn(mark: unknown, userId: number, nowMs: number): boolean {
  const [kept = "", owner, until] = (sessionStorage.getItem(key) ?? "").split(" ");
  sessionStorage.removeItem(key);
  if (kept === "" || kept !== mark || owner !== String(userId)) return false;
  const leftMs = Number(until) - nowMs;
  return leftMs > 0 && leftMs <= telegramLastsMs;
}
