/** Options of sign-in, registration, mail and the bot check. In each section in screen order. */

import { define, flag, line, secret, whole } from "./option-definition.ts";
import { domainsOption, hostOption, imageOption, linkOption } from "./option-schemas.ts";
import { senderOption, serverOption } from "./option-schemas.ts";

/** Longest public id of a client at a sign-in provider, in characters. */
const clientIdMax = 200;

const link = define({ kind: "text", schema: linkOption, defaultValue: "" });

export const signInOptions = {
  /** A name and password sign in. */
  PasswordLoginEnabled: flag(true),
  /** Only a root who has a second factor opens registration or online payment. */
  RootSecondFactorRequired: flag(true),
} as const;

export const registrationOptions = {
  /** New accounts at all, whichever way they come. */
  RegisterEnabled: flag(true),
  /** New accounts by name and password. */
  PasswordRegisterEnabled: flag(true),
  /** Registration asks for a code sent by mail. */
  EmailVerificationEnabled: flag(false),
  /** Only addresses of `EmailDomainWhitelist` may register or be bound. */
  EmailDomainRestrictionEnabled: flag(false),
  /** Addresses with `+` or `.` before the `@` are refused. */
  EmailAliasRestrictionEnabled: flag(false),
  EmailDomainWhitelist: define({
    kind: "list",
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
  SMTPServer: define({ kind: "text", schema: hostOption, defaultValue: "" }),
  /** 465 means TLS from the first byte. */
  SMTPPort: whole(1, 65_535, 587),
  SMTPAccount: line(320),
  /** Empty: the account. */
  SMTPFrom: define({ kind: "text", schema: senderOption, defaultValue: "" }),
  /** The account's password. */
  SMTPToken: secret,
  /** TLS from the first byte, on any port. */
  SMTPSSLEnabled: flag(false),
} as const;

export const gitHubOptions = {
  GitHubOAuthEnabled: flag(false),
  GitHubClientId: line(clientIdMax),
  GitHubClientSecret: secret,
} as const;

export const linuxDoOptions = {
  LinuxDOOAuthEnabled: flag(false),
  LinuxDOClientId: line(clientIdMax),
  LinuxDOClientSecret: secret,
  /** Trust level in the forum below which nobody signs in; 0: everybody may. */
  LinuxDOMinimumTrustLevel: whole(0, 4, 0),
} as const;

export const oidcOptions = {
  "oidc.enabled": flag(false),
  "oidc.client_id": line(clientIdMax),
  "oidc.client_secret": secret,
  /** Address of the provider's configuration document. */
  "oidc.well_known": link,
  "oidc.authorization_endpoint": link,
  "oidc.token_endpoint": link,
  "oidc.user_info_endpoint": link,
} as const;

export const weChatOptions = {
  WeChatAuthEnabled: flag(false),
  WeChatServerAddress: define({ kind: "text", schema: serverOption, defaultValue: "" }),
  WeChatServerToken: secret,
  WeChatAccountQRCodeImageURL: define({ kind: "text", schema: imageOption, defaultValue: "" }),
} as const;

export const telegramOptions = {
  TelegramOAuthEnabled: flag(false),
  TelegramBotName: line(100),
  TelegramBotToken: secret,
} as const;

export const botCheckOptions = {
  TurnstileCheckEnabled: flag(false),
  /** Public: it stands in the page. */
  TurnstileSiteKey: line(clientIdMax),
  TurnstileSecretKey: secret,
} as const;
