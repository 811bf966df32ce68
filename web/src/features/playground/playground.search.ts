/** The parameters of a call, which are part of the address; texts are not. */

import { z } from "zod";
import { listSearch } from "#ui/table/list-search.ts";

/** The specification's default model, if the user may use it. */
export const defaultModel = "gpt-4o-mini";

/**
 * Range and step of the slider. 0 is the untouched state, which is sent as 0; once moved, the
 * slider no longer gives 0.
 */
export const temperatureMin = 0.1;
export const temperatureMax = 1;
export const temperatureStep = 0.1;

/** The server's range. */
export const maxTokensMax = 2_000_000;

export const parameters = z.object({
  /** Empty: the user's own group. */
  group: z.string().catch(""),
  /** Empty: the default model. */
  model: z.string().catch(""),
  /** 0: untouched. */
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

/** Rounds binary fractions away: 0.7, never 0.7000000000000001. */
function clampTemperature(value: number): number {
  const stepped = Math.round(value * 10) / 10;
  return Math.min(Math.max(stepped, temperatureMin), temperatureMax);
}

/** The group in the address if the user may use it, else the user's own, else the first. */
export function chosenGroup(wanted: string, own: string, usable: readonly string[]): string {
  if (usable.includes(wanted)) return wanted;
  return usable.includes(own) ? own : (usable[0] ?? "");
}

/** The model in the address if the group has it, else the default model, else the first. */
export function chosenModel(wanted: string, usable: readonly string[]): string {
  if (usable.includes(wanted)) return wanted;
  return usable.includes(defaultModel) ? defaultModel : (usable[0] ?? "");
}
