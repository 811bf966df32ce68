/** What is typed of a channel's costs, as rows of a table, one a model. */

import type { ChannelCosts, ModelCost } from "@tollgate/contract/endpoints/costs.ts";

/** US dollars per million tokens of these kinds, or per call; empty: nothing is typed. */
export const costColumns = [
  "input",
  "output",
  "cacheRead",
  "cacheWrite5m",
  "cacheWrite1h",
  "perCall",
] as const;
export type CostColumn = (typeof costColumns)[number];

/** The typed costs of all models by their names. */
export type TypedCosts = Readonly<Record<string, Readonly<Partial<Record<CostColumn, string>>>>>;

/** Returns what was typed of the models that the channel has. */
export function typedIn({ effective, models }: ChannelCosts): TypedCosts {
  return Object.fromEntries(
    effective.map(({ model }) => {
      const { perCall = "", tokens = {} } = models[model] ?? {};
      const kinds = costColumns.filter((column) => column !== "perCall");
      const typed = Object.fromEntries(kinds.map((kind) => [kind, tokens[kind] ?? ""]));
      return [model, { ...typed, perCall }];
    }),
  );
}

/**
 * Makes the costs to send. What the table does not show, such as prices by hour, and models that the
 * channel does not have now, stay as they were; a model whose columns are all empty is not typed.
 */
export function costsToSend(
  { models }: ChannelCosts,
  typed: TypedCosts,
): Readonly<Record<string, ModelCost>> {
  const sent: Record<string, ModelCost> = { ...models };
  for (const [model, columns] of Object.entries(typed)) {
    const { perCall = "", ...kinds } = columns;
    const { tokens: before = {}, perCall: _, ...others } = models[model] ?? {};
    const shown = Object.entries(kinds).filter(([, dollars]) => dollars !== "");
    const unshown = Object.entries(before).filter(
      ([kind]) => !costColumns.some((column) => column === kind),
    );
    if (perCall.trim() === "" && shown.length === 0) {
      delete sent[model];
      continue;
    }
    const tokens = Object.fromEntries([...unshown, ...shown]);
    sent[model] = {
      ...others,
      ...(perCall.trim() === "" ? {} : { perCall: perCall.trim() }),
      ...(Object.keys(tokens).length === 0 ? {} : { tokens }),
    };
  }
  return sent;
}
