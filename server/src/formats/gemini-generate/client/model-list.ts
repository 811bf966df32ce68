/** Makes the answers to `GET /v1beta/models` in the form that Gemini's clients read. */

import type { ListedModel } from "#formats/format.ts";

export function modelList(models: readonly ListedModel[]): object {
  return { models: models.map(modelEntry) };
}

export function modelEntry({ name }: ListedModel): object {
  return {
    name: `models/${name}`,
    baseModelId: name,
    version: "001",
    displayName: name,
    supportedGenerationMethods: ["generateContent", "streamGenerateContent", "countTokens"],
  };
}
