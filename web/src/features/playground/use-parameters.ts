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

/** The parameters in the address, those that exist, and how to change them. */
export type ParameterState = {
  /** The parameters of the next call, with its group and model; empty if there is none. */
  readonly settings: CallSettings;
  readonly groups: ReturnType<typeof useGroups>;
  readonly models: ReturnType<typeof useModels>;
  /** A model in the address that this group does not have; empty: none. */
  readonly missingModel: string;
  /** The user may not use the group in the address any more. */
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
    // Dragging a slider is one step in the browser's history, not thirty.
    set: (patch) => setSearch(patch, { replace: true }),
  };
}
