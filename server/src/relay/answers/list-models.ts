/** `GET /v1/models`: what a key may call, as OpenAI's clients read it. */

import { groupOf } from "#relay/stages/admit.ts";
import type { Credential } from "#relay/stages/authenticate.ts";
import type { RelayDeps } from "#relay/deps.ts";
import type { Snapshot } from "#relay/snapshot.ts";

export type ListDeps = Pick<RelayDeps, "priceOf" | "snapshot">;

/** Unix seconds the family gives every model. */
const createdTime = 1_626_777_600;

/** Sorted by name. */
export function listModels(deps: ListDeps, credential: Credential): object {
  const data = callableModels(deps, credential).map((name) =>
    showModel(deps.snapshot, credential, name),
  );
  return { success: true, object: "list", data };
}

/** Undefined: the key may not call it, or nobody knows it. */
export function findModel(
  deps: ListDeps,
  credential: Credential,
  name: string,
): object | undefined {
  return callableModels(deps, credential).includes(name)
    ? showModel(deps.snapshot, credential, name)
    : undefined;
}

/** The token's own list where it has one, else what its group has; what has no price is refused. */
function callableModels(deps: ListDeps, credential: Credential): readonly string[] {
  const { snapshot } = deps;
  const { modelLimits } = credential.token;
  const group = groupOf(snapshot, credential);
  const offered = modelLimits === null ? snapshot.modelsOf(group) : [...modelLimits].toSorted();
  return offered.filter((model) => deps.priceOf(model, group) !== undefined);
}

function showModel(snapshot: Snapshot, credential: Credential, name: string): object {
  const tiers = snapshot.tiersFor(groupOf(snapshot, credential), name);
  return {
    id: name,
    object: "model",
    created: createdTime,
    owned_by: tiers?.[0]?.channels[0]?.provider.id ?? "custom",
    permission: [
      {
        id: `modelperm-${name}`,
        object: "model_permission",
        created: createdTime,
        allow_create_engine: true,
        allow_sampling: true,
        allow_logprobs: true,
        allow_search_indices: false,
        allow_view: true,
        allow_fine_tuning: false,
        organization: "*",
        group: null,
        is_blocking: false,
      },
    ],
    root: name,
    parent: null,
  };
}
