/**
 * How to read the balance of an account at its upstream: where to ask, and how to read the answer.
 */

import { z } from "zod";

export type BalanceQuestion = {
  /**
   * Paths below the base URL, requested in order with the channel's key. `today` is like
   * `2026-11-21`.
   */
  readonly paths: (today: string) => readonly string[];
  /**
   * Reads the balance from the parsed answers, in the same order; undefined: they have an unknown
   * form.
   */
  readonly read: (answers: readonly unknown[]) => number | undefined;
};

/** Many vendors send amounts as strings. */
const amount = z.coerce.number().refine(Number.isFinite);

/** A balance from one path; `shape` parses the answer and extracts it. */
export function oneBalance(path: string, shape: z.ZodType<number>): BalanceQuestion {
  return { paths: () => [path], read: ([answer]) => shape.safeParse(answer).data };
}

/** `{data:{<field>}}`. */
export function balanceInData(path: string, field: string): BalanceQuestion {
  const shape = z.object({ data: z.object({ [field]: amount }) });
  return oneBalance(
    path,
    shape.transform(({ data }) => data[field] ?? 0),
  );
}

/** `{<field>}`. */
export function balanceIn(path: string, field: string): BalanceQuestion {
  const shape = z.object({ [field]: amount });
  return oneBalance(
    path,
    shape.transform((answer) => answer[field] ?? 0),
  );
}

/** How many days of usage are requested: as far back as OpenAI's dashboard answers. */
const usageDays = 99;
const dayMs = 86_400_000;

/** The balance by OpenAI's dashboard, which one-api compatible gateways still answer. */
export const dashboardBalance: BalanceQuestion = {
  paths(today) {
    const end = Date.parse(today);
    const day = (ms: number): string => new Date(ms).toISOString().slice(0, 10);
    const range = `start_date=${day(end - usageDays * dayMs)}&end_date=${day(end + dayMs)}`;
    return ["/v1/dashboard/billing/subscription", `/v1/dashboard/billing/usage?${range}`];
  },
  read([subscription, usage]) {
    const limit = z.object({ hard_limit_usd: amount }).safeParse(subscription).data;
    // In cents.
    const used = z.object({ total_usage: amount }).safeParse(usage).data;
    if (limit === undefined || used === undefined) return undefined;
    return limit.hard_limit_usd - used.total_usage / 100;
  },
};
