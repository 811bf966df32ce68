/** Prices that the catalogue proposes for models. */

import {
  type CatalogueMatch,
  pricedModelsMax,
  proposePrices,
} from "@tollgate/contract/endpoints/price-catalogue.ts";
import { callWhole } from "#api/call.ts";

/** The models of a channel, which need not be saved yet. */
export type ProposalSource = {
  readonly channelType: number;
  readonly baseUrl: string;
  /** What clients call the models, and what the upstream does. */
  readonly models: readonly { readonly model: string; readonly upstream: string }[];
};

/** What the catalogue has for a model. */
export type Proposal = {
  readonly model: string;
  readonly isPriced: boolean;
  /** Null: the catalogue has no entry that matches. */
  readonly match: CatalogueMatch | null;
  /** The entry with the most similar name; null: none is similar. */
  readonly nearest: string | null;
  /** Whether the model runs on a server of the operator's own. */
  readonly isLocal: boolean;
};

export type Proposals = {
  readonly rows: readonly Proposal[];
  /** The day of the catalogue, as `YYYY-MM-DD`. */
  readonly date: string;
};

/** Reads what the catalogue proposes for the models of some channels. */
export async function readProposals(
  sources: readonly ProposalSource[],
  signal: AbortSignal,
): Promise<Proposals> {
  const parts = [];
  for (const source of sources) parts.push(await propose(source, signal));
  return { rows: parts.flatMap(({ rows }) => rows), date: parts[0]?.date ?? "" };
}

async function propose(
  { channelType, baseUrl, models }: ProposalSource,
  signal: AbortSignal,
): Promise<Proposals> {
  const asked = models.slice(0, pricedModelsMax / 2);
  const names = [...new Set(asked.flatMap(({ model, upstream }) => [model, upstream]))];
  const input = { channel_type: channelType, base_url: baseUrl, models: names };
  const { data, extras } = await callWhole(proposePrices, input, signal);
  const byName = new Map(data.map((row) => [row.model, row]));
  const rows = asked.flatMap(({ model, upstream }): Proposal[] => {
    const [own, found] = [byName.get(model), byName.get(upstream)];
    if (own === undefined || found === undefined) return [];
    const { match, nearest, free_allowed: isLocal } = found;
    return [{ model, isPriced: own.priced, match, nearest, isLocal }];
  });
  return { rows, date: extras.catalogue.date };
}
