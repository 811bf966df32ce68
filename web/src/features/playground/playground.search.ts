/** The parameters of a call, which stand in the address; texts do not. */

import { z } from "zod";
import { listSearch } from "#ui/table/list-search.ts";

/** The specification's; taken when the user may use it. */
export const defaultModel = "gpt-4o-mini";

/**
 * The slider's ends and step. 0 is the untouched state: it is sent as it is, and once moved the
 * slider gives no 0 any more.
 */
export const temperatureMin = 0.1;
export const temperatureMax = 1;
export const temperatureStep = 0.1;

/** What the server takes. */
export const maxTokensMax = 2_000_000;

export const parameters = z.object({
  /** Empty: the own group. */
  group: z.string().catch(""),
  /** Empty: the default one. */
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

/** Without the dust of binary fractions: 0.7, never 0.7000000000000001. */
function clampTemperature(value: number): number {
  const stepped = Math.round(value * 10) / 10;
  return Math.min(Math.max(stepped, temperatureMin), temperatureMax);
}

/** The group of the address, where the user may use it; else the own one, else the first. */
export function chosenGroup(wanted: string, own: string, usable: readonly string[]): string {
  if (usable.includes(wanted)) return wanted;
  return usable.includes(own) ? own : (usable[0] ?? "");
}

/** The model of the address, where the group has it; else the default one, else the first. */
export function chosenModel(wanted: string, usable: readonly string[]): string {
  if (usable.includes(wanted)) return wanted;
  return usable.includes(defaultModel) ? defaultModel : (usable[0] ?? "");
}
