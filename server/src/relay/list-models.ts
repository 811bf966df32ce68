/** `GET /v1/models`: what a key may call, as OpenAI's clients read it. */

import { groupOf } from "./admit.ts";
import type { Credential } from "./authenticate.ts";
import type { Snapshot } from "./snapshot.ts";

/** Unix seconds the family gives every model. */
const createdTime = 1_626_777_600;

/** Sorted by name. */
export function listModels(snapshot: Snapshot, credential: Credential): object {
  const data = callableModels(snapshot, credential).map((name) =>
    showModel(snapshot, credential, name),
  );
  return { success: true, object: "list", data };
}

/** Undefined: the key may not call it, or nobody knows it. */
export function findModel(
  snapshot: Snapshot,
  credential: Credential,
  name: string,
): object | undefined {
  return callableModels(snapshot, credential).includes(name)
    ? showModel(snapshot, credential, name)
    : undefined;
}

/** The token's own list where it has one, else what its group has. */
function callableModels(snapshot: Snapshot, credential: Credential): readonly string[] {
  const { modelLimits } = credential.token;
  const offered = snapshot.modelsOf(groupOf(snapshot, credential));
  return modelLimits === null ? offered : [...modelLimits].toSorted();
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
