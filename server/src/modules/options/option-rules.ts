/** Which other options a switch requires before it is turned on and while it stays on. */

import type { Field } from "@tollgate/contract/kinds.ts";
import {
  isOptionName,
  isPriceOption,
  type OptionName,
  options,
  showOption,
  type StoredOptionName,
} from "@tollgate/contract/options.ts";
import { Refusal } from "#base/refusal.ts";
import type { Options } from "./options.ts";

/**
 * Options that cannot be emptied while a switch is on, because nobody could sign in without them.
 */
const keptFor: Partial<
  Record<OptionName, { readonly by: StoredOptionName; readonly why: string }>
> = {
  TurnstileSiteKey: {
    by: "TurnstileCheckEnabled",
    why: "Turnstile 校验已启用，请先关闭校验再清空 Site Key",
  },
};

/**
 * @throws Refusal `invalid-input` if a switch is turned on before the options it requires are set,
 *   or if an option is emptied that is needed to sign in.
 */
export function checkOption(readOption: Options["read"], key: OptionName, value: unknown): void {
  const { needs }: Field = options[key];
  if (
    needs !== undefined &&
    value === true &&
    needs.fields.some((names) => [names].flat().every(isEmpty))
  ) {
    throw new Refusal("invalid-input", needs.message);
  }
  const kept = keptFor[key];
  if (kept !== undefined && value === "" && readOption(kept.by) === true) {
    throw new Refusal("invalid-input", kept.why);
  }

  function isEmpty(name: string): boolean {
    if (!isOptionName(name) || isPriceOption(name)) throw new Error(`${key} needs ${name}`);
    return showOption(name, readOption(name)) === "";
  }
}

/**
 * @throws Refusal `invalid-input` if the option is no secret, or a switch that is on needs it.
 */
export function checkClear(readOption: Options["read"], key: OptionName): void {
  if (!options[key].secret) throw new Refusal("invalid-input", `${key}：只有密钥可以清除`);
  for (const [name, field] of Object.entries<Field>(options)) {
    if (!isOptionName(name) || isPriceOption(name) || readOption(name) !== true) continue;
    if (field.needs?.fields.flat().includes(key) === true) {
      throw new Refusal("invalid-input", `${name} 已启用，请先关闭它再清除密钥`);
    }
  }
}
