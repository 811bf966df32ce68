/** The models that the command palette finds: those that the user may call. */

import { queryOptions } from "@tanstack/react-query";
import { brandOfModel } from "@tollgate/contract/words/brands.ts";
import { listOwnModels } from "@tollgate/contract/endpoints/models.ts";
import { call } from "#api/call.ts";
import { hasWords } from "./palette-words.ts";

const staleMs = 60_000;

/** The largest number of models in the results. */
const modelsMax = 5;

export const modelsQuery = queryOptions({
  queryKey: ["palette", "models"],
  queryFn: async ({ signal }) => await call(listOwnModels, { group: "" }, signal),
  staleTime: staleMs,
  retry: false,
});

/** Finds models by a part of the model's name, or by the name of its brand. */
export function findModels(query: string, models: readonly string[]): readonly string[] {
  const wanted = query.trim();
  if (wanted === "") return [];
  return models
    .filter((model) =>
      hasWords(wanted, `${model}\n${brandOfModel(model)?.name ?? ""}`.toLowerCase()),
    )
    .slice(0, modelsMax);
}
