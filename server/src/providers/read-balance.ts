/**
 * How to read the balance of an account at its upstream: at which paths to ask, and how to read the
 * answers.
 */

import { z } from "zod";

export type BalanceQuestion = {
  /**
   * Returns the paths below the base URL that are requested one after the other with the channel's
   * key. `today` looks like `2026-11-21`.
   */
  readonly paths: (today: string) => readonly string[];
  /**
   * Reads the balance from the parsed answers, which are in the order of `paths`; undefined: an
   * answer has an unknown form.
   */
  readonly read: (answers: readonly unknown[]) => number | undefined;
};

/** A number or a string with a number, because many vendors send amounts as strings. */
const amount = z.coerce.number().refine(Number.isFinite);

/** Asks for the balance at one path; `shape` parses the answer and extracts the amount. */
export function oneBalance(path: string, shape: z.ZodType<number>): BalanceQuestion {
  return { paths: () => [path], read: ([answer]) => shape.safeParse(answer).data };
}

/** Asks for a balance that is answered as `{data:{<field>}}`. */
export function balanceInData(path: string, field: string): BalanceQuestion {
  const shape = z.object({ data: z.object({ [field]: amount }) });
  return oneBalance(
    path,
    shape.transform(({ data }) => data[field] ?? 0),
  );
}

/** Asks for a balance that is answered as `{<field>}`. */
export function balanceIn(path: string, field: string): BalanceQuestion {
  const shape = z.object({ [field]: amount });
  return oneBalance(
    path,
    shape.transform((answer) => answer[field] ?? 0),
  );
}

/** For how many days of usage to ask: as many as OpenAI's dashboard answers for. */
const usageDays = 99;
const dayMs = 86_400_000;

/**
 * Asks for the balance at the paths of OpenAI's former dashboard, which one-api compatible gateways
 * still answer.
 */
export const dashboardBalance: BalanceQuestion = {
  paths(today) {
    const end = Date.parse(today);
    const day = (ms: number): string => new Date(ms).toISOString().slice(0, 10);
    const range = `start_date=${day(end - usageDays * dayMs)}&end_date=${day(end + dayMs)}`;
    return ["/v1/dashboard/billing/subscription", `/v1/dashboard/billing/usage?${range}`];
  },
  read([subscription, usage]) {
    const limit = z.object({ hard_limit_usd: amount }).safeParse(subscription).data;
    // `total_usage` is in cents.
    const used = z.object({ total_usage: amount }).safeParse(usage).data;
    if (limit === undefined || used === undefined) return undefined;
    return limit.hard_limit_usd - used.total_usage / 100;
  },
};
