/** Lists the models that a key may call, in the JSON form that the client's wire format defines. */

import type { ClientFormat, ListedModel } from "#formats/format.ts";
import { formats } from "#formats/registry.ts";
import { groupOf } from "#relay/admission/admit.ts";
import type { Credential } from "#relay/call/facts.ts";
import type { RelayDeps } from "#relay/deps.ts";

type ListDeps = Pick<RelayDeps, "priceOf" | "snapshot">;

/** Returns the answer to a request for the model list, sorted by name. */
export function listModels(deps: ListDeps, format: ClientFormat, credential: Credential): object {
  const names = callableModels(deps, credential);
  return modelWords(format).modelList(names.map((name) => listedModel(deps, credential, name)));
}

/**
 * Returns the answer to a request for one model. Undefined: no such model, or the key may not call
 * it.
 */
export function findModel(
  deps: ListDeps,
  format: ClientFormat,
  credential: Credential,
  name: string,
): object | undefined {
  return callableModels(deps, credential).includes(name)
    ? modelWords(format).modelEntry(listedModel(deps, credential, name))
    : undefined;
}

/** Returns how models are listed in a format, which is OpenAI's way if it has none of its own. */
function modelWords({ modelEntry, modelList }: ClientFormat) {
  const openai = formats["openai-chat"].client;
  return {
    modelEntry: modelEntry ?? openai.modelEntry,
    modelList: modelList ?? openai.modelList,
  };
}

/**
 * Returns the models in the token's model list or, if the token has none, those of its group.
 * Models without a price are left out, because calls to them are refused.
 */
function callableModels(deps: ListDeps, credential: Credential): readonly string[] {
  const { snapshot } = deps;
  const { modelLimits } = credential.token;
  const group = groupOf(snapshot, credential);
  const offered = modelLimits === null ? snapshot.modelsOf(group) : [...modelLimits].toSorted();
  return offered.filter((model) => deps.priceOf(model, group) !== undefined);
}

function listedModel({ snapshot }: ListDeps, credential: Credential, name: string): ListedModel {
  const tiers = snapshot.tiersFor(groupOf(snapshot, credential), name);
  return { name, ownedBy: tiers?.[0]?.channels[0]?.provider.id ?? "custom" };
}
