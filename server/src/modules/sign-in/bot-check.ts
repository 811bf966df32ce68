/** Cloudflare Turnstile: whether a person fills the form. */

import type { OptionName } from "contract/options.ts";
import { z } from "zod";
import { addressBlock } from "#base/ip-ranges.ts";
import { Refusal } from "#base/refusal.ts";
import { hashText } from "#base/secrets.ts";
import type { Options } from "#modules/options/options.ts";
import type { CallOutside, OutsideAddresses } from "./methods/outside.ts";

/**
 * Lets who passed the check go on; at once where root asks for none.
 *
 * @throws Refusal `not-allowed`.
 */
export type BotCheck = (token: string, clientIp: string) => Promise<void>;

export type BotCheckDeps = {
  readonly readOption: Options["read"];
  readonly callOutside: CallOutside;
  readonly addresses: Pick<OutsideAddresses, "turnstile">;
  /** Unix milliseconds. */
  readonly now: () => number;
};

/**
 * Cloudflare takes a token once, but a page sends it with each of its calls: for the code, then
 * for the account. One that passed is good for a few more, from the same place.
 */
const passLastsMs = 10 * 60_000;
const passUsesMax = 10;

/** Passes remembered; of more the oldest is forgotten. */
const passesMax = 10_000;

const verdict = z.object({
  success: z.boolean(),
  /** Source: https://developers.cloudflare.com/turnstile/get-started/server-side-validation/ */
  "error-codes": z.array(z.string()).default([]),
});

const secretFault = "invalid-input-secret";

/**
 * Tries the secret out that an option is about to put in force: with a wrong one nobody could sign
 * in any more to take it back.
 *
 * @throws Refusal `invalid-input`.
 */
export async function probeBotCheck(
  deps: Pick<BotCheckDeps, "addresses" | "callOutside" | "readOption">,
  key: OptionName,
  value: unknown,
): Promise<void> {
  const { readOption, callOutside, addresses } = deps;
  const secret = secretInForce(readOption, key, value);
  if (secret === undefined) return;
  const form = { secret, response: "probe" };
  const answer = await callOutside({ url: addresses.turnstile, form });
  const read = answer === undefined ? undefined : readVerdict(answer.text);
  if (read === undefined) {
    throw new Refusal(
      "invalid-input",
      "服务器无法连接 Turnstile，启用校验后将无人能够登录，请检查网络后重试",
    );
  }
  if (read["error-codes"].includes(secretFault)) {
    throw new Refusal("invalid-input", "Turnstile Secret Key 不正确，启用校验后将无人能够登录");
  }
}

/** Undefined: another option, or the check stays as it is. */
function secretInForce(
  readOption: Options["read"],
  key: OptionName,
  value: unknown,
): string | undefined {
  if (key === "TurnstileCheckEnabled" && value === true) return readOption("TurnstileSecretKey");
  const isOn = readOption("TurnstileCheckEnabled");
  // An empty one leaves the present one as it is.
  return key === "TurnstileSecretKey" && isOn && value !== "" ? String(value) : undefined;
}

export function openBotCheck({ readOption, callOutside, addresses, now }: BotCheckDeps): BotCheck {
  const passes = new Map<string, { readonly untilMs: number; usesLeft: number }>();

  function isPassed(key: string): boolean {
    const pass = passes.get(key);
    if (pass === undefined || pass.untilMs <= now() || pass.usesLeft === 0) return false;
    pass.usesLeft -= 1;
    return true;
  }

  function remember(key: string): void {
    passes.delete(key);
    passes.set(key, { untilMs: now() + passLastsMs, usesLeft: passUsesMax });
    const oldest = passes.keys().next();
    if (passes.size > passesMax && !oldest.done) passes.delete(oldest.value);
  }

  return async (token, clientIp) => {
    if (!readOption("TurnstileCheckEnabled")) return;
    if (token === "") throw new Refusal("not-allowed", "Turnstile token 为空");
    const key = `${hashText(token)} ${addressBlock(clientIp)}`;
    if (isPassed(key)) return;
    const answer = await callOutside({
      url: addresses.turnstile,
      form: { secret: readOption("TurnstileSecretKey"), response: token, remoteip: clientIp },
    });
    if (answer === undefined || readVerdict(answer.text)?.success !== true) {
      throw new Refusal("not-allowed", "Turnstile 校验失败，请刷新重试！");
    }
    remember(key);
  };
}

/** Undefined: it is none. */
function readVerdict(text: string): z.output<typeof verdict> | undefined {
  try {
    return verdict.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}
