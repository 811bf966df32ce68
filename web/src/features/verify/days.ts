/** The sums of a statement by day, in UTC. */

import type { StatementLine } from "@tollgate/contract/endpoints/statements.ts";

type Day = {
  /** As `YYYY-MM-DD`. */
  readonly day: string;
  readonly calls: number;
  /** What calls were charged, and what else was added to the balance or taken from it. */
  readonly charged: number;
  readonly other: number;
};

/** Adds the lines up by day, in their order. */
export function daysOf(lines: readonly StatementLine[]): readonly Day[] {
  const days = new Map<string, Day>();
  for (const { created_at, kind, amount } of lines) {
    const day = new Date(created_at * 1_000).toISOString().slice(0, 10);
    const { calls = 0, charged = 0, other = 0 } = days.get(day) ?? {};
    const isCall = kind === "settle";
    days.set(day, {
      day,
      calls: calls + (isCall ? 1 : 0),
      charged: charged + (isCall ? 0 - amount : 0),
      other: other + (isCall ? 0 : amount),
    });
  }
  return [...days.values()];
}
