/** Makes the answers to `GET /v1/models` in the form that Anthropic's clients read. */

import type { ListedModel } from "#formats/format.ts";

/** The creation time of every model: a fixed value, because the gateway knows none. */
const createdAt = "2021-07-20T00:00:00Z";

export function modelList(models: readonly ListedModel[]): object {
  return {
    data: models.map(modelEntry),
    has_more: false,
    first_id: models[0]?.name ?? null,
    last_id: models.at(-1)?.name ?? null,
  };
}

export function modelEntry({ name }: ListedModel): object {
  return { type: "model", id: name, display_name: name, created_at: createdAt };
}
