import { useMemo } from "react";
import { useListSearch } from "#ui/table/list-search.ts";
import { useSession } from "#widgets/server/use-status.ts";
import type { CallSettings } from "./chat.ts";
import { useGroups, useModels } from "./playground.api.ts";
import {
  chosenGroup,
  chosenModel,
  type Parameters,
  playgroundSearch,
} from "./playground.search.ts";

/**
 * The parameters of the next call: those in the address, the groups and models to choose from, and
 * a function that changes them.
 */
export type ParameterState = {
  /** The values to send, with the group and model that are used; empty if there are none. */
  readonly settings: CallSettings;
  readonly groups: ReturnType<typeof useGroups>;
  readonly models: ReturnType<typeof useModels>;
  /** The model in the address if the group does not have it; empty: the model is available. */
  readonly missingModel: string;
  /** Whether the address names a group that the user may not use (any more). */
  readonly isGroupGone: boolean;
  readonly set: (patch: Partial<Parameters>) => void;
};

export function useParameters(): ParameterState {
  const [search, setSearch] = useListSearch(playgroundSearch);
  const own = useSession()?.group ?? "";
  const groups = useGroups();
  const group =
    groups.data === undefined ? null : chosenGroup(search.group, own, Object.keys(groups.data));
  const models = useModels(group);
  const { temperature, max_tokens: maxTokens } = search;
  const model = chosenModel(search.model, models.data ?? []);
  const settings = useMemo(
    () => ({ model, group: group ?? "", temperature, maxTokens }),
    [model, group, temperature, maxTokens],
  );
  const isMissing =
    models.isSuccess && !models.isPlaceholderData && search.model !== "" && search.model !== model;
  return {
    settings,
    groups,
    models,
    isGroupGone: search.group !== "" && group !== null && group !== search.group,
    missingModel: isMissing ? search.model : "",
    // Replaces the history entry, because a slider changes the address many times while it is
    // dragged.
    set: (patch) => setSearch(patch, { replace: true }),
  };
}
