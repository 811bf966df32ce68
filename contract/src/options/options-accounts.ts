/**
 * Options of sign-in, registration, mail and the bot check, in the order of the screen. Those of
 * OAuth identities are in `kinds/<method>.ts`.
 */

import {
  clientIdMax,
  domainsOption,
  hostOption,
  senderOption,
} from "@tollgate/contract/fields/field-schemas.ts";
import { define, flag, line, secret, whole } from "@tollgate/contract/kinds/kinds.ts";

export const signInOptions = {
  /** Whether users may sign in with name and password. */
  PasswordLoginEnabled: flag(true, { confirmsOff: true }),
  /** Whether root needs a second factor to turn on registration or online payment. */
  RootSecondFactorRequired: flag(true, { confirmsOff: true }),
  /** How long the link that resets a password is valid. */
  PasswordResetMinutes: whole(1, 1_440, 10, "minutes"),
} as const;

export const registrationOptions = {
  /** Whether new accounts may be created, by any method. */
  RegisterEnabled: flag(true),
  /** Whether new accounts may be created with name and password. */
  PasswordRegisterEnabled: flag(true),
  /** Whether registration asks for a code that is sent by e-mail. */
  EmailVerificationEnabled: flag(false, {
    needs: {
      // Some mail servers accept e-mails without a log-in, but a sender address is always required.
      fields: ["SMTPServer", ["SMTPAccount", "SMTPFrom"]],
      message: "无法启用邮箱验证，请先填入 SMTP 相关配置信息！",
    },
  }),
  /** Whether only addresses of the domains in `EmailDomainWhitelist` may be registered or bound. */
  EmailDomainRestrictionEnabled: flag(false, {
    needs: {
      fields: ["EmailDomainWhitelist"],
      message: "无法启用邮箱域名限制，请先填入限制的邮箱域名！",
    },
  }),
  /** Whether addresses with `+` or `.` before the `@` are refused. */
  EmailAliasRestrictionEnabled: flag(false),
  EmailDomainWhitelist: define({
    type: "list",
    schema: domainsOption,
    defaultValue: [
      "gmail.com",
      "163.com",
      "126.com",
      "qq.com",
      "outlook.com",
      "hotmail.com",
      "icloud.com",
      "yahoo.com",
      "foxmail.com",
    ],
  }),
} as const;

export const mailOptions = {
  SMTPServer: define({ type: "text", schema: hostOption, defaultValue: "" }),
  /** Port of the mail server. On port 465, TLS starts with the first byte. */
  SMTPPort: whole(1, 65_535, 587),
  SMTPAccount: line(320),
  /** Sender address of e-mails; empty: `SMTPAccount`. */
  SMTPFrom: define({ type: "text", schema: senderOption, defaultValue: "" }),
  /** The password of the SMTP account. */
  SMTPToken: secret,
  /** Whether TLS starts with the first byte on every port, not only on 465. */
  SMTPSSLEnabled: flag(false),
} as const;

export const botCheckOptions = {
  TurnstileCheckEnabled: flag(false, {
    needs: {
      fields: ["TurnstileSiteKey", "TurnstileSecretKey"],
      message: "无法启用 Turnstile 校验，请先填入 Turnstile 校验相关配置信息！",
    },
  }),
  /**
   * Public key of the bot check Cloudflare Turnstile. Not a secret: the sign-in page contains it.
   */
  TurnstileSiteKey: line(clientIdMax),
  TurnstileSecretKey: secret,
} as const;
