import type { LogCharge } from "@tollgate/contract/endpoints/log-charges.ts";
import type { T } from "#i18n/t.ts";

/** A charged call, as the home page shows it. */
export type PassedCall = {
  /** The call's `X-Request-Id`. */
  readonly id: string;
  readonly model: string;
  readonly group: string;
  readonly input: number;
  readonly output: number;
  /** Quota units that were charged. */
  readonly quota: number;
  /** What the charge was computed from; null: it has to be read first, by `key`. */
  readonly charge: LogCharge | null;
  /** The id of the log row. */
  readonly key: number;
};

/** Where the calls on the home page come from. */
export type CallSource =
  /** The account of a demo server that pays for the calls of visitors. */
  | "demo"
  /** The signed-in user's own log. */
  | "own"
  /** A recording that is part of the console. */
  | "recording";

/** A charge in dollars with six digits after the point: `$0.000162`. */
export function showSixDigits(quota: number, quotaPerUnit: number): string {
  return `$${(quota / quotaPerUnit).toFixed(6)}`;
}

/** What a call read and wrote, in tokens: `1,840 in → 220 out`. */
export function tokensText(call: Pick<PassedCall, "input" | "output">, t: T): string {
  const [input, output] = [call.input, call.output].map((count) => count.toLocaleString("en-US"));
  return t("home.tokens", { input, output });
}
