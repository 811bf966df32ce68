import type { Json, JsonObject } from "#base/json.ts";
import { tokensMax } from "#canonical/usage.ts";
import { asObject } from "./read-json.ts";

/** Reads the counts of an upstream's usage report, and remembers the first that is impossible. */
type TokenCounts = {
  /** Returns a count. Undefined: it is missing, or no whole number from 0 to `tokensMax`. */
  count(from: JsonObject, name: string): number | undefined;
  /** Describes the first impossible count; empty: there is none. */
  wrong(): string;
};

export function openTokenCounts(): TokenCounts {
  let wrong = "";
  return {
    count(from, name) {
      const value = from[name];
      if (value === undefined || value === null) return undefined;
      const isCount = typeof value === "number" && Number.isInteger(value);
      if (isCount && value >= 0 && value <= tokensMax) return value;
      wrong ||= `${name} is ${JSON.stringify(value).slice(0, 40)}`;
      return undefined;
    },
    wrong: () => wrong,
  };
}

/** Returns a usage report as an object. Undefined: it is none. */
export function reportOf(raw: unknown): JsonObject | undefined {
  // Safe cast: usage reports come from parsed JSON.
  return asObject(raw as Json | undefined);
}
