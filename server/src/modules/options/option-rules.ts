/** What one option asks of others before it is switched on, and for as long as it is. */

import { type OptionName, showOption, type StoredOptionName } from "@tollgate/contract/options.ts";
import { Refusal } from "#base/refusal.ts";
import type { Options } from "./options.ts";

type Rule = {
  /** Options that must not be empty. */
  readonly needs: readonly StoredOptionName[];
  readonly message: string;
};

/** Of switches: without what they need they would only show a button that fails. */
const rules: Partial<Record<OptionName, Rule>> = {
  EmailDomainRestrictionEnabled: {
    needs: ["EmailDomainWhitelist"],
    message: "无法启用邮箱域名限制，请先填入限制的邮箱域名！",
  },
  EmailVerificationEnabled: {
    needs: ["SMTPServer", "SMTPAccount"],
    message: "无法启用邮箱验证，请先填入 SMTP 相关配置信息！",
  },
  GitHubOAuthEnabled: {
    needs: ["GitHubClientId", "GitHubClientSecret"],
    message: "无法启用 GitHub OAuth，请先填入 GitHub Client Id 以及 GitHub Client Secret！",
  },
  LinuxDOOAuthEnabled: {
    needs: ["LinuxDOClientId", "LinuxDOClientSecret"],
    message: "无法启用 LinuxDO OAuth，请先填入 LinuxDO Client Id 以及 LinuxDO Client Secret！",
  },
  TelegramOAuthEnabled: {
    needs: ["TelegramBotToken"],
    message: "无法启用 Telegram OAuth，请先填入 Telegram Bot Token！",
  },
  TurnstileCheckEnabled: {
    needs: ["TurnstileSiteKey", "TurnstileSecretKey"],
    message: "无法启用 Turnstile 校验，请先填入 Turnstile 校验相关配置信息！",
  },
  WeChatAuthEnabled: {
    needs: ["WeChatServerAddress"],
    message: "无法启用微信登录，请先填入微信登录相关配置信息！",
  },
  "oidc.enabled": {
    needs: ["oidc.client_id", "oidc.client_secret"],
    message: "无法启用 OIDC 登录，请先填入 OIDC Client Id 以及 OIDC Client Secret！",
  },
};

/** What is needed by a switch behind which nobody could sign in any more, by the switch. */
const keptFor: Partial<
  Record<OptionName, { readonly by: StoredOptionName; readonly why: string }>
> = {
  TurnstileSiteKey: {
    by: "TurnstileCheckEnabled",
    why: "Turnstile 校验已启用，请先关闭校验再清空 Site Key",
  },
};

/**
 * @throws Refusal `invalid-input` where a switch is turned on too early, or something is emptied
 *   that nobody could sign in without.
 */
export function checkOption(readOption: Options["read"], key: OptionName, value: unknown): void {
  const rule = rules[key];
  const isEmpty = (name: StoredOptionName): boolean => showOption(name, readOption(name)) === "";
  if (rule !== undefined && value === true && rule.needs.some(isEmpty)) {
    throw new Refusal("invalid-input", rule.message);
  }
  const kept = keptFor[key];
  if (kept !== undefined && value === "" && readOption(kept.by) === true) {
    throw new Refusal("invalid-input", kept.why);
  }
}
