/**
 * Rules between options: which options have to be set before a switch is turned on and while it is
 * on.
 */

import type { Field } from "@tollgate/contract/kinds/kinds.ts";
import {
  isOptionName,
  isPriceOption,
  type OptionName,
  options,
  showOption,
  type StoredOptionName,
} from "@tollgate/contract/options/options.ts";
import { Refusal } from "#base/refusal.ts";
import type { Options } from "./options.ts";

/**
 * Options that cannot be emptied while a switch is on, because nobody could sign in then; `by` is
 * the switch.
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
 * Checks a value before it is saved.
 * @throws Refusal `invalid-input` if it turns a switch on before the options that the switch
 * requires are set, or if it empties an option that is needed to sign in.
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
 * Checks that an option may be cleared.
 * @throws Refusal `invalid-input` if the option is no secret, or if a switch that is on requires
 * it.
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
