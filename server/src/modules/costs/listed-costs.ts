/** Finds in the catalogue of prices what the provider of a channel asks for its models. */

import type { BookPrices } from "@tollgate/contract/money/price-book.ts";

/** What this module reads of the catalogue that `modules/pricing` opens. */
export type ReadCatalogue = () => Promise<{
  readonly facts: { readonly date: string };
  match(
    channel: { readonly type: number; readonly baseUrl: string },
    model: string,
    day: string,
  ): { readonly exact: boolean; readonly prices: BookPrices } | undefined;
}>;

/** A channel as far as it decides what its models cost. */
export type CostedChannel = {
  readonly type: number;
  readonly base_url: string;
  /** Names that clients use, separated by commas. */
  readonly models: string;
  /** JSON object text, model → upstream model; `""`: none. */
  readonly model_mapping: string;
};

type Listed = {
  /** The day of the catalogue. */
  readonly catalogue: string;
  readonly listed: Readonly<Record<string, BookPrices>>;
};

/**
 * Finds the prices of a channel's models under the names that its upstream gets. Only prices of the
 * channel's own provider count: what another asks says nothing of the channel's bill.
 *
 * @param day as `YYYY-MM-DD`.
 */
export async function findListed(
  readCatalogue: ReadCatalogue,
  channel: CostedChannel,
  day: string,
): Promise<Listed> {
  const catalogue = await readCatalogue();
  const mapping = readMapping(channel.model_mapping);
  const asked = { type: channel.type, baseUrl: channel.base_url };
  const listed: Record<string, BookPrices> = {};
  for (const model of channel.models.split(",")) {
    const found = model === "" ? undefined : catalogue.match(asked, mapping(model), day);
    if (found?.exact === true) listed[model] = found.prices;
  }
  return { catalogue: catalogue.facts.date, listed };
}

/** Returns the name under which the upstream is asked for a model. */
function readMapping(text: string): (model: string) => string {
  const mapping: unknown = text === "" ? {} : JSON.parse(text);
  const entries = typeof mapping === "object" && mapping !== null ? Object.entries(mapping) : [];
  const names = new Map(entries.map(([from, to]) => [from, String(to)]));
  return (model) => names.get(model) ?? model;
}

/** What is found where the catalogue is not used. */
export const notListed: Listed = { catalogue: "", listed: {} };

/** Returns the day of a time in Unix milliseconds, in UTC, as `YYYY-MM-DD`. */
export function dayOf(nowMs: number): string {
  return new Date(nowMs).toISOString().slice(0, 10);
}
