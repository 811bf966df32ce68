/** Labels and help of the options on the tabs system and other. */

import type { OptionTexts } from "./option-texts.ts";

export const systemTexts = {
  ServerAddress: { label: "settings.ServerAddress", help: "settings.ServerAddressHelp" },
  ConsoleRequestsPerMinute: {
    label: "settings.ConsoleRequestsPerMinute",
    help: "settings.ConsoleRequestsPerMinuteHelp",
  },
  WorkerUrl: { label: "settings.WorkerUrl", help: "settings.WorkerUrlHelp" },
  WorkerValidKey: { label: "settings.WorkerValidKey", help: null },
  PayAddress: { label: "settings.PayAddress", help: "settings.PayAddressHelp" },
  EpayId: { label: "settings.EpayId", help: null },
  EpayKey: { label: "settings.EpayKey", help: null },
  CustomCallbackAddress: {
    label: "settings.CustomCallbackAddress",
    help: "settings.CustomCallbackAddressHelp",
  },
  Price: { label: "settings.Price", help: "settings.PriceHelp" },
  MinTopUp: { label: "settings.MinTopUp", help: "settings.MinTopUpHelp" },
  TopupGroupRatio: { label: "settings.TopupGroupRatio", help: "settings.TopupGroupRatioHelp" },
  PasswordLoginEnabled: {
    label: "settings.PasswordLoginEnabled",
    help: "settings.PasswordLoginEnabledHelp",
  },
  RootSecondFactorRequired: {
    label: "settings.RootSecondFactorRequired",
    help: "settings.RootSecondFactorRequiredHelp",
  },
  RegisterEnabled: { label: "settings.RegisterEnabled", help: "settings.RegisterEnabledHelp" },
  PasswordRegisterEnabled: {
    label: "settings.PasswordRegisterEnabled",
    help: "settings.PasswordRegisterEnabledHelp",
  },
  EmailVerificationEnabled: {
    label: "settings.EmailVerificationEnabled",
    help: "settings.EmailVerificationEnabledHelp",
  },
  EmailDomainRestrictionEnabled: {
    label: "settings.EmailDomainRestrictionEnabled",
    help: "settings.EmailDomainRestrictionEnabledHelp",
  },
  EmailAliasRestrictionEnabled: {
    label: "settings.EmailAliasRestrictionEnabled",
    help: "settings.EmailAliasRestrictionEnabledHelp",
  },
  EmailDomainWhitelist: {
    label: "settings.EmailDomainWhitelist",
    help: "settings.EmailDomainWhitelistHelp",
  },
  SMTPServer: { label: "settings.SMTPServer", help: "settings.SMTPServerHelp" },
  SMTPPort: { label: "settings.SMTPPort", help: "settings.SMTPPortHelp" },
  SMTPAccount: { label: "settings.SMTPAccount", help: null },
  SMTPFrom: { label: "settings.SMTPFrom", help: "settings.SMTPFromHelp" },
  SMTPToken: { label: "settings.SMTPToken", help: null },
  SMTPSSLEnabled: { label: "settings.SMTPSSLEnabled", help: "settings.SMTPSSLEnabledHelp" },
  GitHubOAuthEnabled: {
    label: "settings.GitHubOAuthEnabled",
    help: "settings.GitHubOAuthEnabledHelp",
  },
  GitHubClientId: { label: "settings.GitHubClientId", help: null },
  GitHubClientSecret: { label: "settings.GitHubClientSecret", help: null },
  LinuxDOOAuthEnabled: {
    label: "settings.LinuxDOOAuthEnabled",
    help: "settings.LinuxDOOAuthEnabledHelp",
  },
  LinuxDOClientId: { label: "settings.LinuxDOClientId", help: null },
  LinuxDOClientSecret: { label: "settings.LinuxDOClientSecret", help: null },
  LinuxDOMinimumTrustLevel: {
    label: "settings.LinuxDOMinimumTrustLevel",
    help: "settings.LinuxDOMinimumTrustLevelHelp",
  },
  "oidc.enabled": { label: "settings.oidcEnabled", help: "settings.oidcEnabledHelp" },
  "oidc.client_id": { label: "settings.oidcClientId", help: null },
  "oidc.client_secret": { label: "settings.oidcClientSecret", help: null },
  "oidc.well_known": { label: "settings.oidcWellKnown", help: "settings.oidcWellKnownHelp" },
  "oidc.authorization_endpoint": { label: "settings.oidcAuthorizationEndpoint", help: null },
  "oidc.token_endpoint": { label: "settings.oidcTokenEndpoint", help: null },
  "oidc.user_info_endpoint": { label: "settings.oidcUserInfoEndpoint", help: null },
  WeChatAuthEnabled: {
    label: "settings.WeChatAuthEnabled",
    help: "settings.WeChatAuthEnabledHelp",
  },
  WeChatServerAddress: { label: "settings.WeChatServerAddress", help: null },
  WeChatServerToken: { label: "settings.WeChatServerToken", help: null },
  WeChatAccountQRCodeImageURL: {
    label: "settings.WeChatAccountQRCodeImageURL",
    help: "settings.WeChatAccountQRCodeImageURLHelp",
  },
  TelegramOAuthEnabled: {
    label: "settings.TelegramOAuthEnabled",
    help: "settings.TelegramOAuthEnabledHelp",
  },
  TelegramBotName: { label: "settings.TelegramBotName", help: null },
  TelegramBotToken: { label: "settings.TelegramBotToken", help: null },
  TurnstileCheckEnabled: {
    label: "settings.TurnstileCheckEnabled",
    help: "settings.TurnstileCheckEnabledHelp",
  },
  TurnstileSiteKey: { label: "settings.TurnstileSiteKey", help: "settings.TurnstileSiteKeyHelp" },
  TurnstileSecretKey: { label: "settings.TurnstileSecretKey", help: null },
  Notice: { label: "settings.Notice", help: "settings.NoticeHelp" },
  SystemName: { label: "settings.SystemName", help: null },
  Logo: { label: "settings.Logo", help: "settings.LogoHelp" },
  HomePageContent: { label: "settings.HomePageContent", help: "settings.HomePageContentHelp" },
  About: { label: "settings.About", help: "settings.AboutHelp" },
  Footer: { label: "settings.Footer", help: "settings.FooterHelp" },
  Chats: { label: "settings.Chats", help: "settings.ChatsHelp" },
} as const satisfies OptionTexts;
