/**
 * Makes the answers to `GET /v1/models` and `GET /v1/models/{model}`, in the form that OpenAI's
 * clients read.
 */

import type { ListedModel } from "#formats/format.ts";

/**
 * The creation time of every model, in Unix seconds: a fixed value, the one that one-api compatible
 * gateways give.
 */
const createdTime = 1_626_777_600;

export function modelList(models: readonly ListedModel[]): object {
  return { success: true, object: "list", data: models.map(modelEntry) };
}

export function modelEntry({ name, ownedBy }: ListedModel): object {
  return {
    id: name,
    object: "model",
    created: createdTime,
    owned_by: ownedBy,
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
