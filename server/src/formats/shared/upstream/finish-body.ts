import type { ServiceTier } from "@tollgate/contract/money/service-tiers.ts";
import type { Json } from "#base/json.ts";
import type { CanonicalRequest } from "#canonical/request.ts";
import type { Quirks, WrittenRequest } from "#formats/translation.ts";
import type { Losses } from "#formats/shared/losses.ts";
import { loseTier } from "#formats/shared/tiers/service-tiers.ts";
import { defined } from "#formats/shared/read-json.ts";

/** Makes the body of a request, with what the provider adds and without what it refuses. */
export function finishBody(
  fields: Readonly<Record<string, Json | undefined>>,
  { addedFields, refusedFields = [] }: Quirks,
  losses: Losses,
): WrittenRequest {
  const body: Record<string, Json> = {};
  for (const [name, value] of Object.entries(defined({ ...fields, ...addedFields }))) {
    if (refusedFields.includes(name)) losses.add(name);
    else body[name] = value;
  }
  return { body, losses: losses.names };
}

/** Settings that not every format has. */
const settings = {
  topK: "top_k",
  seed: "seed",
  presencePenalty: "presence_penalty",
  frequencyPenalty: "frequency_penalty",
  logitBias: "logit_bias",
  logprobs: "logprobs",
} as const;

/** Names the settings and the service tier of a request for which the format has no word. */
export function loseSettings(
  request: CanonicalRequest,
  carried: readonly (keyof typeof settings)[],
  losses: Losses,
  tiers: readonly ServiceTier[] = [],
): void {
  const { sampling, hints } = request;
  // Safe cast: the keys of a constant object.
  for (const name of Object.keys(settings) as (keyof typeof settings)[]) {
    losses.addIf(!carried.includes(name) && sampling[name] !== null, settings[name]);
  }
  losses.addIf(hints.verbosity !== "", "verbosity");
  loseTier(request, tiers, losses);
}
