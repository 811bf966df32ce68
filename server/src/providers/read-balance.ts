/** How upstreams tell what is left of the money paid in: where to ask, and how to read it. */

import { z } from "zod";

export type BalanceQuestion = {
  /** Paths below the base URL, asked in order with the channel's key. `today` is `2026-11-21`. */
  readonly paths: (today: string) => readonly string[];
  /** From the JSON of the answers, in that order; undefined: none of the shape known. */
  readonly read: (answers: readonly unknown[]) => number | undefined;
};

/** Many write amounts as text. */
const amount = z.coerce.number().refine(Number.isFinite);

/** One path, and the field of its answer that `shape` reads. */
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

/** Days back that usage is asked for: as far as OpenAI's dashboard answers. */
const usageDays = 99;
const dayMs = 86_400_000;

/** What is left by OpenAI's dashboard, as the gateways of the family still answer it. */
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
