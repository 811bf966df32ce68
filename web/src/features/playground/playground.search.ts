/** The part of the address that holds the parameters of a call. Typed texts are not part of it. */

import { z } from "zod";
import { listSearch } from "#ui/table/list-search.ts";

/** The model chosen by default, as the specification names it, if the user may use it. */
export const defaultModel = "gpt-4o-mini";

/**
 * Range and step of the slider. The value 0 means that the slider was never moved, and is sent as
 * 0; a moved slider does not reach 0 again.
 */
export const temperatureMin = 0.1;
export const temperatureMax = 1;
export const temperatureStep = 0.1;

/** The largest value that the server accepts. */
export const maxTokensMax = 2_000_000;

export const parameters = z.object({
  /** Empty: the user's own group. */
  group: z.string().catch(""),
  /** Empty: the default model. */
  model: z.string().catch(""),
  /** 0, where the slider cannot return to once it was moved: the user has chosen no temperature. */
  temperature: z.coerce
    .number()
    .transform((value) => (value <= 0 ? 0 : clampTemperature(value)))
    .catch(0),
  /** 0: no limit. */
  max_tokens: z.coerce
    .number()
    .transform((value) => Math.min(Math.max(Math.round(value), 0), maxTokensMax))
    .catch(0),
});
export type Parameters = z.output<typeof parameters>;

export const playgroundSearch = listSearch.extend(parameters.shape);

/**
 * Rounds to one decimal place (0.7 instead of 0.7000000000000001) and limits to the slider's range.
 */
function clampTemperature(value: number): number {
  const stepped = Math.round(value * 10) / 10;
  return Math.min(Math.max(stepped, temperatureMin), temperatureMax);
}

/**
 * Chooses the group to use: that in the address, if the user may use it; otherwise the user's own;
 * otherwise the first.
 */
export function chosenGroup(wanted: string, own: string, usable: readonly string[]): string {
  if (usable.includes(wanted)) return wanted;
  return usable.includes(own) ? own : (usable[0] ?? "");
}

/**
 * Chooses the model to use: that in the address, if the group has it; otherwise the default model;
 * otherwise the first.
 */
export function chosenModel(wanted: string, usable: readonly string[]): string {
  if (usable.includes(wanted)) return wanted;
  return usable.includes(defaultModel) ? defaultModel : (usable[0] ?? "");
}
