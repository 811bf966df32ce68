/**
 * Changes that open the gateway to strangers or to payments need a second factor, because a
 * password may be stolen.
 */

import type { OptionName, OptionValue, StoredOptionName } from "@tollgate/contract/options.ts";
import { Refusal } from "#base/refusal.ts";
import type { Options } from "./options.ts";

/** Online payment is on if all of these are set. */
const paymentKeys = ["PayAddress", "EpayId", "EpayKey"] as const satisfies StoredOptionName[];

/** Whether the new value turns on registration or payment that was off. */
function opens(readOption: Options["read"], key: OptionName, value: unknown): boolean {
  if (key === "RegisterEnabled") return value === true && !readOption("RegisterEnabled");
  const isPayment = paymentKeys.some((name) => name === key);
  if (!isPayment || value === "") return false;
  const isOpen = paymentKeys.every((name) => readOption(name) !== "");
  return !isOpen && paymentKeys.every((name) => name === key || readOption(name) !== "");
}

/**
 * Only turning on is checked. What is on already stays on: it may have been turned on by an earlier
 * version or during set-up, where open registration is the default.
 *
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
