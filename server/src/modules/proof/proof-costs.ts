/**
 * The check T15 (see `proof.ts`): the cost of a charged call follows from its stored usage and the
 * version of the channel's cost list, and no version has been changed. T5 and T12 compare the sums.
 */

import { charge, type ChargedUsage, type UnitPrice } from "@tollgate/contract/money/charge.ts";
import type { CostContent } from "@tollgate/contract/endpoints/costs.ts";
import type { Db } from "#db/database.ts";
import { costPrice, costVersionHash, parseCosts } from "#modules/costs/costs.ts";
import type { LogRow } from "#modules/logs/logs.ts";
import type { Flaw } from "./flaw.ts";

type Version = {
  readonly channelId: number;
  readonly content: CostContent;
  /** Prices that were found before, by model. */
  readonly known: Map<string, UnitPrice | undefined>;
};
export type CostVersions = ReadonlyMap<number, Version>;

/** Reads the versions of all cost lists, or the first that is not as it was stored. */
export async function readCosts(db: Db): Promise<Flaw | CostVersions> {
  const rows = await db.selectFrom("cost_versions").selectAll().orderBy("id").execute();
  const versions = new Map<number, Version>();
  let previous = "";
  for (const row of rows) {
    const flaw = (reason: string): Flaw => ({
      check: "T15",
      table: "cost_versions",
      row: `id=${row.id}`,
      reason,
    });
    if (costVersionHash(previous, row) !== row.hash) return flaw("hash");
    previous = row.hash;
    const content = parseCosts(row);
    if (content === undefined) return flaw("content cannot be read");
    versions.set(row.id, { channelId: row.channel_id, content, known: new Map() });
  }
  return versions;
}

type Costed = Pick<LogRow, "channel" | "cost" | "cost_version" | "model_name">;

/** Says what is wrong with the cost of a charged call; null: nothing. */
export function judgeCost(log: Costed, usage: ChargedUsage, versions: CostVersions): string | null {
  if (log.cost_version === 0) return log.cost === null ? null : "has a cost without a cost list";
  const version = versions.get(log.cost_version);
  if (version === undefined) return `cost version ${log.cost_version} is missing`;
  if (version.channelId !== log.channel) return "its cost list is that of another channel";
  const price = priceOf(version, log.model_name);
  const due = price === undefined ? null : charge(price, usage);
  return due === log.cost ? null : `its cost list gives ${due ?? "no cost"}`;
}

function priceOf({ content, known }: Version, model: string): UnitPrice | undefined {
  if (!known.has(model)) known.set(model, costPrice(content, model));
  return known.get(model);
}
