/** The bot check: asks Cloudflare Turnstile whether a form was sent by a person. */

import { z } from "zod";
import { addressBlock } from "#base/ip-ranges.ts";
import { parseForeign } from "#base/json.ts";
import { Refusal } from "#base/refusal.ts";
import { hashText } from "#base/secrets.ts";
import type { PageSources } from "#http/security-headers.ts";
import type { Options, OptionTrial } from "#modules/options/options.ts";
import type { BotCheck, CallOutside } from "./sign-in.ts";
import type { SignInStore } from "./sign-in.store.ts";

type BotCheckDeps = {
  readonly readOption: Options["read"];
  readonly callOutside: CallOutside;
  /** Stores tokens that have passed, so that the next request may reach another node. */
  readonly store: Pick<SignInStore, "addBotPass" | "spendBotPass">;
};

/**
 * The endpoint that verifies a token. Source:
 * https://developers.cloudflare.com/turnstile/get-started/server-side-validation/
 */
const verifyUrl = "https://challenges.cloudflare.com/turnstile/v0/siteverify";

/**
 * How long a token that has passed is accepted again from the same IP address, and how often.
 * Cloudflare accepts a token only once, but a page sends it with two requests: for the e-mail code
 * and for the new account.
 */
const passTerms = { lastsMs: 10 * 60_000, uses: 10 };

const verdict = z.object({
  success: z.boolean(),
  "error-codes": z.array(z.string()).default([]),
});

const secretFault = "invalid-input-secret";

/**
 * Sent in place of a token when only the secret is tested. This works because Cloudflare checks the
 * secret first.
 */
const noToken = "none";

/**
 * Tests the bot check with the values it would have after the change of an option. With a wrong
 * secret, or with a site key of another site, nobody could sign in to undo the change.
 *
 * Programs that follow one-api send no token when they turn the check on: then only the secret is
 * tested. To change the keys while the check is on, a token is required.
 * @throws Refusal `invalid-input` if the test fails.
 */
export async function probeBotCheck(
  deps: Pick<BotCheckDeps, "callOutside" | "readOption">,
  trial: OptionTrial,
): Promise<void> {
  const { readOption, callOutside } = deps;
  const secret = secretInForce(readOption, trial);
  if (secret === undefined) return;
  const isSwitchedOn = trial.key === "TurnstileCheckEnabled";
  if (trial.turnstileToken === "" && !isSwitchedOn) {
    throw new Refusal(
      "invalid-input",
      "在 Turnstile 校验启用时更换密钥，需要先通过一次验证：请在 Tollgate 自带控制台的系统设置中操作，或先关闭校验",
    );
  }
  const form = { secret, response: trial.turnstileToken || noToken };
  const answer = await callOutside({ url: verifyUrl, form });
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
  if (!read.success && trial.turnstileToken !== "") {
    throw new Refusal(
      "invalid-input",
      "Turnstile 验证未通过：请重新验证，并确认两个密钥属于同一个站点；要同时更换两者，请先关闭校验",
    );
  }
}

/**
 * Returns the secret that has to be tested before this change of an option. Undefined if the change
 * does not affect the bot check.
 */
function secretInForce(
  readOption: Options["read"],
  { key, value }: OptionTrial,
): string | undefined {
  const isOn = readOption("TurnstileCheckEnabled");
  const present = readOption("TurnstileSecretKey");
  if (key === "TurnstileCheckEnabled") return value === true && !isOn ? present : undefined;
  if (!isOn) return undefined;
  if (key === "TurnstileSiteKey") {
    return value === readOption("TurnstileSiteKey") ? undefined : present;
  }
  // An empty value leaves the present secret unchanged.
  return key === "TurnstileSecretKey" && value !== "" ? String(value) : undefined;
}

export function openBotCheck({ readOption, callOutside, store }: BotCheckDeps): BotCheck {
  return async (token, clientIp) => {
    if (!readOption("TurnstileCheckEnabled")) return;
    if (token === "") throw new Refusal("not-allowed", "Turnstile token 为空");
    const pass = `${hashText(token)} ${addressBlock(clientIp)}`;
    if (await store.spendBotPass(pass)) return;
    const answer = await callOutside({
      url: verifyUrl,
      form: { secret: readOption("TurnstileSecretKey"), response: token, remoteip: clientIp },
    });
    if (answer === undefined || readVerdict(answer.text)?.success !== true) {
      throw new Refusal("not-allowed", "Turnstile 校验失败，请刷新重试！");
    }
    await store.addBotPass(pass, passTerms);
  };
}

/** Reads the content of a Turnstile answer. Undefined if the text is not a valid one. */
function readVerdict(text: string): z.output<typeof verdict> | undefined {
  try {
    return verdict.safeParse(parseForeign(text)).data;
  } catch {
    return undefined;
  }
}

/**
 * The origin of the script and the frame of Turnstile. Source:
 * https://developers.cloudflare.com/turnstile/reference/content-security-policy/, 2026-11-21.
 */
const widgetOrigin = "https://challenges.cloudflare.com";

/**
 * Returns the sites that pages may load for the bot check. They are allowed as soon as a site key
 * is set, so that root can test the check before turning it on.
 */
export function botCheckPageSources(readOption: Options["read"]): PageSources {
  const isShown = readOption("TurnstileCheckEnabled") || readOption("TurnstileSiteKey") !== "";
  const origins = isShown ? [widgetOrigin] : [];
  return { scripts: origins, frames: origins, images: [], popups: false };
}
