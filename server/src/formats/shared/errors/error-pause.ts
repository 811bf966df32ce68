const units: Readonly<Record<string, number>> = { h: 3_600_000, m: 60_000, s: 1_000, ms: 1 };

/** The longest pause that is read from a body, in milliseconds: a day. */
const pauseMsMax = 86_400_000;

/**
 * Reads the pause that an error asks for in its body: Google's `retryDelay`, or the message of
 * OpenAI, Azure and Groq. Undefined: it asks for none.
 */
export function pauseOf(body: string): number | undefined {
  const found =
    /"retryDelay"\s*:\s*"([\d.]+s)"/.exec(body) ??
    /(?:try again|retry) (?:in|after) ((?:[\d.]{1,20} ?(?:h|ms|m|s(?:econds?)?))+)/i.exec(body);
  if (found === null) return undefined;
  let pause = 0;
  for (const [, count = "", unit = ""] of (found[1] ?? "").matchAll(/([\d.]{1,20}) ?(ms|h|m|s)/g)) {
    pause += Number(count) * (units[unit] ?? 0);
  }
  return Number.isFinite(pause) && pause > 0 ? Math.min(Math.ceil(pause), pauseMsMax) : undefined;
}
