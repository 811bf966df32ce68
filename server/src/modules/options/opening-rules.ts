/**
 * A user needs a second factor to open the gateway to strangers or to payments, because a password
 * alone may be stolen.
 */

import type {
  OptionName,
  OptionValue,
  StoredOptionName,
} from "@tollgate/contract/options/options.ts";
import { processorNeeds } from "@tollgate/contract/kinds/payment-processors.ts";
import { Refusal } from "#base/refusal.ts";
import type { Options } from "./options.ts";

/** A processor takes payments if all options of its list are set. */
const processorKeys: readonly (readonly StoredOptionName[])[] = Object.values(processorNeeds);

/** Whether saving the value would turn on registration or online payment, which is off now. */
function opens(readOption: Options["read"], key: OptionName, value: unknown): boolean {
  if (key === "RegisterEnabled") return value === true && !readOption("RegisterEnabled");
  if (value === "") return false;
  return processorKeys.some((names) => {
    if (!names.some((name) => name === key)) return false;
    const isOpen = names.every((name) => readOption(name) !== "");
    return !isOpen && names.every((name) => name === key || readOption(name) !== "");
  });
}

/**
 * Checks that the caller may save an option that turns on registration or online payment. These may
 * be on already without a check: an earlier version may have turned them on, and registration is
 * open by default.
 * @param hasSecondFactor whether the caller has one.
 * @throws Refusal `not-allowed`.
 */
export async function checkOpening(
  readOption: Options["read"],
  key: OptionName,
  value: unknown,
  hasSecondFactor: () => Promise<boolean>,
): Promise<void> {
  const isAsked: OptionValue<"RootSecondFactorRequired"> = readOption("RootSecondFactorRequired");
  if (!isAsked || !opens(readOption, key, value) || (await hasSecondFactor())) return;
  throw new Refusal(
    "not-allowed",
    "开放注册或在线充值前，请先在「设置 → 个人设置 → 两步验证」中启用两步验证",
  );
}
