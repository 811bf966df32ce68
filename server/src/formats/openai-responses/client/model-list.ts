/** Makes the model lists of Responses' clients, which are those of OpenAI. */

import type { ListedModel } from "#formats/format.ts";

/** The creation time of every model, in Unix seconds: a fixed value, because the gateway knows none. */
const createdTime = 1_626_777_600;

export function modelList(models: readonly ListedModel[]): object {
  return { object: "list", data: models.map(modelEntry) };
}

export function modelEntry({ name, ownedBy }: ListedModel): object {
  return { id: name, object: "model", created: createdTime, owned_by: ownedBy };
}
