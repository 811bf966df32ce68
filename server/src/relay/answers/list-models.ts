/** The models a key may call, in the form its client's format has for them. */

import type { ClientFormat, ListedModel } from "#formats/format.ts";
import { groupOf } from "#relay/stages/admit.ts";
import type { Credential } from "#relay/stages/authenticate.ts";
import type { RelayDeps } from "#relay/deps.ts";

type ListDeps = Pick<RelayDeps, "priceOf" | "snapshot">;

/** Sorted by name. */
export function listModels(deps: ListDeps, format: ClientFormat, credential: Credential): object {
  const names = callableModels(deps, credential);
  return format.modelList(names.map((name) => listedModel(deps, credential, name)));
}

/** Undefined: unknown, or not allowed for this key. */
export function findModel(
  deps: ListDeps,
  format: ClientFormat,
  credential: Credential,
  name: string,
): object | undefined {
  return callableModels(deps, credential).includes(name)
    ? format.modelEntry(listedModel(deps, credential, name))
    : undefined;
}

/**
 * The token's model list, or else its group's models; without those that have no price, because
 * calls to them are refused.
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
