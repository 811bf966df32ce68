/** Labels and help of the options on the operation tab. */

import type { OptionTexts } from "./option-texts.ts";

export const operationTexts = {
  TopUpLink: { label: "settings.TopUpLink", help: "settings.TopUpLinkHelp" },
  "general_setting.docs_link": {
    label: "settings.generalSettingDocsLink",
    help: "settings.generalSettingDocsLinkHelp",
  },
  QuotaPerUnit: { label: "settings.QuotaPerUnit", help: "settings.QuotaPerUnitHelp" },
  DisplayInCurrencyEnabled: {
    label: "settings.DisplayInCurrencyEnabled",
    help: "settings.DisplayInCurrencyEnabledHelp",
  },
  DisplayTokenStatEnabled: {
    label: "settings.DisplayTokenStatEnabled",
    help: "settings.DisplayTokenStatEnabledHelp",
  },
  TokensPerUserMax: { label: "settings.TokensPerUserMax", help: "settings.TokensPerUserMaxHelp" },
  DefaultCollapseSidebar: {
    label: "settings.DefaultCollapseSidebar",
    help: "settings.DefaultCollapseSidebarHelp",
  },
  DemoSiteEnabled: { label: "settings.DemoSiteEnabled", help: "settings.DemoSiteEnabledHelp" },
  SelfUseModeEnabled: {
    label: "settings.SelfUseModeEnabled",
    help: "settings.SelfUseModeEnabledHelp",
  },
  QuotaForNewUser: { label: "settings.QuotaForNewUser", help: "settings.QuotaForNewUserHelp" },
  QuotaForInviter: { label: "settings.QuotaForInviter", help: "settings.QuotaForInviterHelp" },
  QuotaForInvitee: { label: "settings.QuotaForInvitee", help: "settings.QuotaForInviteeHelp" },
  PreConsumedQuota: { label: "settings.PreConsumedQuota", help: "settings.PreConsumedQuotaHelp" },
  QuotaRemindThreshold: {
    label: "settings.QuotaRemindThreshold",
    help: "settings.QuotaRemindThresholdHelp",
  },
  QuotaPerCallMax: { label: "settings.QuotaPerCallMax", help: "settings.QuotaPerCallMaxHelp" },
  ChannelDisableThreshold: {
    label: "settings.ChannelDisableThreshold",
    help: "settings.ChannelDisableThresholdHelp",
  },
  AutomaticDisableChannelEnabled: {
    label: "settings.AutomaticDisableChannelEnabled",
    help: "settings.AutomaticDisableChannelEnabledHelp",
  },
  AutomaticEnableChannelEnabled: {
    label: "settings.AutomaticEnableChannelEnabled",
    help: "settings.AutomaticEnableChannelEnabledHelp",
  },
  AutomaticDisableKeywords: {
    label: "settings.AutomaticDisableKeywords",
    help: "settings.AutomaticDisableKeywordsHelp",
  },
  CheckSensitiveEnabled: {
    label: "settings.CheckSensitiveEnabled",
    help: "settings.CheckSensitiveEnabledHelp",
  },
  CheckSensitiveOnPromptEnabled: {
    label: "settings.CheckSensitiveOnPromptEnabled",
    help: "settings.CheckSensitiveOnPromptEnabledHelp",
  },
  SensitiveWords: { label: "settings.SensitiveWords", help: "settings.SensitiveWordsHelp" },
  DataExportEnabled: {
    label: "settings.DataExportEnabled",
    help: "settings.DataExportEnabledHelp",
  },
  DataExportInterval: {
    label: "settings.DataExportInterval",
    help: "settings.DataExportIntervalHelp",
  },
  DataExportDefaultTime: {
    label: "settings.DataExportDefaultTime",
    help: "settings.DataExportDefaultTimeHelp",
  },
  DrawingEnabled: { label: "settings.DrawingEnabled", help: "settings.DrawingEnabledHelp" },
  TaskEnabled: { label: "settings.TaskEnabled", help: "settings.TaskEnabledHelp" },
  MjNotifyEnabled: { label: "settings.MjNotifyEnabled", help: "settings.MjNotifyEnabledHelp" },
  MjAccountFilterEnabled: {
    label: "settings.MjAccountFilterEnabled",
    help: "settings.MjAccountFilterEnabledHelp",
  },
  MjModeClearEnabled: {
    label: "settings.MjModeClearEnabled",
    help: "settings.MjModeClearEnabledHelp",
  },
  MjForwardUrlEnabled: {
    label: "settings.MjForwardUrlEnabled",
    help: "settings.MjForwardUrlEnabledHelp",
  },
  MjActionCheckSuccessEnabled: {
    label: "settings.MjActionCheckSuccessEnabled",
    help: "settings.MjActionCheckSuccessEnabledHelp",
  },
  LogConsumeEnabled: {
    label: "settings.LogConsumeEnabled",
    help: "settings.LogConsumeEnabledHelp",
  },
  LogContentEnabled: {
    label: "settings.LogContentEnabled",
    help: "settings.LogContentEnabledHelp",
  },
  LogContentMaxBytes: {
    label: "settings.LogContentMaxBytes",
    help: "settings.LogContentMaxBytesHelp",
  },
  RetryTimes: { label: "settings.RetryTimes", help: "settings.RetryTimesHelp" },
  RelayBodyMegabytesMax: {
    label: "settings.RelayBodyMegabytesMax",
    help: "settings.RelayBodyMegabytesMaxHelp",
  },
  ModelRequestRateLimitEnabled: {
    label: "settings.ModelRequestRateLimitEnabled",
    help: "settings.ModelRequestRateLimitEnabledHelp",
  },
  ModelRequestRateLimitDurationMinutes: {
    label: "settings.ModelRequestRateLimitDurationMinutes",
    help: "settings.ModelRequestRateLimitDurationMinutesHelp",
  },
  ModelRequestRateLimitCount: {
    label: "settings.ModelRequestRateLimitCount",
    help: "settings.ModelRequestRateLimitCountHelp",
  },
  ModelRequestRateLimitSuccessCount: {
    label: "settings.ModelRequestRateLimitSuccessCount",
    help: "settings.ModelRequestRateLimitSuccessCountHelp",
  },
  ModelPrice: { label: "settings.ModelPrice", help: "settings.ModelPriceHelp" },
  ModelRatio: { label: "settings.ModelRatio", help: "settings.ModelRatioHelp" },
  CompletionRatio: { label: "settings.CompletionRatio", help: "settings.CompletionRatioHelp" },
  CacheRatio: { label: "settings.CacheRatio", help: "settings.CacheRatioHelp" },
  CreateCacheRatio: { label: "settings.CreateCacheRatio", help: "settings.CreateCacheRatioHelp" },
  CreateCacheRatio1h: {
    label: "settings.CreateCacheRatio1h",
    help: "settings.CreateCacheRatio1hHelp",
  },
  AudioRatio: { label: "settings.AudioRatio", help: "settings.AudioRatioHelp" },
  AudioCompletionRatio: {
    label: "settings.AudioCompletionRatio",
    help: "settings.AudioCompletionRatioHelp",
  },
  ImageRatio: { label: "settings.ImageRatio", help: "settings.ImageRatioHelp" },
  GroupRatio: { label: "settings.GroupRatio", help: "settings.GroupRatioHelp" },
  UserUsableGroups: { label: "settings.UserUsableGroups", help: "settings.UserUsableGroupsHelp" },
  "claude.model_headers_settings": {
    label: "settings.claudeModelHeadersSettings",
    help: "settings.claudeModelHeadersSettingsHelp",
  },
  "claude.default_max_tokens": {
    label: "settings.claudeDefaultMaxTokens",
    help: "settings.claudeDefaultMaxTokensHelp",
  },
  "claude.thinking_adapter_enabled": {
    label: "settings.claudeThinkingAdapterEnabled",
    help: "settings.claudeThinkingAdapterEnabledHelp",
  },
  "claude.thinking_adapter_budget_tokens_percentage": {
    label: "settings.claudeThinkingAdapterBudgetTokensPercentage",
    help: "settings.claudeThinkingAdapterBudgetTokensPercentageHelp",
  },
  "gemini.safety_settings": {
    label: "settings.geminiSafetySettings",
    help: "settings.geminiSafetySettingsHelp",
  },
  "gemini.version_settings": {
    label: "settings.geminiVersionSettings",
    help: "settings.geminiVersionSettingsHelp",
  },
  "global.pass_through_request_enabled": {
    label: "settings.globalPassThroughRequestEnabled",
    help: "settings.globalPassThroughRequestEnabledHelp",
  },
} as const satisfies OptionTexts;
