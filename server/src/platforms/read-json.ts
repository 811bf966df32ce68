/** Reads values of unknown JSON, for platforms. */

type Members = Readonly<Record<string, unknown>>;

export function fieldsOf(value: unknown): Members {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : {};
}

/** A text, or a number as text; empty: neither. */
export function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  return typeof value === "number" && Number.isFinite(value) ? String(value) : "";
}

/**
 * A word that decides a price, as it is priced and sent: in small letters, without blanks around
 * it. Empty: none. Undefined: the value is no text.
 */
export function wordOf(value: unknown): string | undefined {
  if (value === undefined || value === null) return "";
  return typeof value === "string" ? value.trim().toLowerCase() : undefined;
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** A whole number ≥ 0; 0: none. Texts with digits count as well. */
export function wholeOf(value: unknown): number {
  const number = typeof value === "number" ? value : Number(textOf(value) || 0);
  return Number.isSafeInteger(Math.trunc(number)) && number > 0 ? Math.trunc(number) : 0;
}

/** A progress such as `50%` or 50, from 0 to 100. */
export function progressOf(value: unknown): number {
  return Math.min(100, wholeOf(textOf(value).replace("%", "")));
}

/** Unix seconds or milliseconds, as milliseconds; 0: none. */
export function timeOf(value: unknown): number {
  const time = wholeOf(value);
  return time > 0 && time < 100_000_000_000 ? time * 1_000 : time;
}

/** Leaves out these members. */
export function without(members: Members, names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(Object.entries(members).filter(([name]) => !names.includes(name)));
}
