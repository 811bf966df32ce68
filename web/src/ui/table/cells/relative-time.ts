/** Writes how far a time is from now, in a form for narrow columns: `3 分钟前`, `in 2 days`. */

import dayjs from "dayjs";
import { stepSeconds } from "./clock.ts";

const minute = 60;
const hour = 60 * minute;
const day = 24 * hour;

const units = [
  { unit: "day", length: day },
  { unit: "hour", length: hour },
  { unit: "minute", length: minute },
] as const;

/** What is needed to write relative times in one language. */
export type TimeWords = {
  readonly justNow: string;
  readonly format: (count: number, unit: "day" | "hour" | "minute" | "second") => string;
};

/** Makes the formatters of a language; `language` has the form of the page's `lang`. */
export function makeTimeWords(justNow: string, language: string): TimeWords {
  const formats = formatsOf(language);
  const chinese = language.startsWith("zh");
  return {
    justNow,
    format(count, unit) {
      const text = formats.format(count, unit);
      // Chinese typography puts a space between digits and characters; the browser's formatter does
      // not.
      return chinese ? text.replace(/(\d)(\p{Script=Han})/u, "$1 $2") : text;
    },
  };
}

/**
 * The formatters by language. They are kept, because making one is among the most expensive steps
 * of the first paint.
 */
const known = new Map<string, Intl.RelativeTimeFormat>();

function formatsOf(language: string): Intl.RelativeTimeFormat {
  const before = known.get(language);
  if (before !== undefined) return before;
  const made = new Intl.RelativeTimeFormat(language, { numeric: "always", style: "short" });
  known.set(language, made);
  return made;
}

/**
 * Writes a time (in Unix seconds) relative to `nowSeconds`. A time more than 30 days away is
 * written as a date.
 */
export function relativeTime(seconds: number, nowSeconds: number, words: TimeWords): string {
  const ahead = seconds - nowSeconds;
  const size = Math.abs(ahead);
  if (size > 30 * day) return dayjs.unix(seconds).format("YYYY-MM-DD");
  // The clock may be one step behind, so a time slightly ahead of it counts as "just now", not as
  // the future.
  if (size < 5 || (ahead > 0 && ahead <= stepSeconds)) return words.justNow;
  const found = units.find((one) => size >= one.length);
  if (found === undefined) return words.format(ahead, "second");
  return words.format(Math.trunc(ahead / found.length), found.unit);
}
