/**
 * The service tiers of providers: how fast or how surely a call is answered, at another price.
 * OpenAI's documents of 2026-11 name `auto`, `default`, `flex`, `priority` (also called `fast`),
 * `scale` and `ultrafast`, Anthropic's `standard`, `priority`, `batch` and the speed `fast`,
 * Google's `standard`, `flex` and `priority`.
 */

import { z } from "zod";

/** The tiers that may have a price of their own. `fast` is Anthropic's speed. */
export const serviceTier = z.enum(["batch", "fast", "flex", "priority", "scale", "ultrafast"]);
export type ServiceTier = z.infer<typeof serviceTier>;

/** What a request asks for. `auto`: the provider chooses, as when the request does not say. */
export type AskedTier = ServiceTier | "auto" | "default";

/** What an answer says of the tier that served it; empty: nothing that is known. */
export type ServedTier = ServiceTier | "default" | "";

/** The tiers that a provider may choose when the request leaves it to the provider. */
export const autoTiers: ReadonlySet<ServiceTier> = new Set(["flex", "priority", "scale"]);

/**
 * Returns the tier that a call is charged for; undefined: the default one. An answer can say that
 * the default tier has served a call that asked for another, and which tier was chosen for a call
 * that left the choice. Nothing else that it says changes the price.
 *
 * @param asked what the request asked for that was sent.
 */
export function chargedTier(asked: AskedTier, served: ServedTier): ServiceTier | undefined {
  if (asked === "default" || served === "default") return undefined;
  if (asked !== "auto") return asked;
  return served !== "" && autoTiers.has(served) ? served : undefined;
}
