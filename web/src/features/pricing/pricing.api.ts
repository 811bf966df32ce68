import { useQuery } from "@tanstack/react-query";
import { listModelFacts, type ModelFactsRow } from "@tollgate/contract/endpoints/model-facts.ts";
import { call } from "#api/call.ts";

/** Reads what models are and how they did, for cards and comparisons; by the models' names. */
export function useModelFacts(isShown: boolean): ReadonlyMap<string, ModelFactsRow> {
  const { data } = useQuery({
    queryKey: ["pricing", "facts"],
    queryFn: ({ signal }) => call(listModelFacts, {}, signal),
    staleTime: factsStaleMs,
    enabled: isShown,
    select: byModel,
  });
  return data ?? none;
}

/** The server keeps its answer for as long. */
const factsStaleMs = 600_000;

const none: ReadonlyMap<string, ModelFactsRow> = new Map();

function byModel(rows: readonly ModelFactsRow[]): ReadonlyMap<string, ModelFactsRow> {
  return new Map(rows.map((row) => [row.model_name, row]));
}
