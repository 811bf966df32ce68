/** What the screen says of each option, and how it groups them. */

import { type OptionName, type OptionSection, optionSections } from "@tollgate/contract/options.ts";
import type { unlistedOptions } from "@tollgate/contract/options-system.ts";
import { unreadOptions } from "@tollgate/contract/options-unread.ts";
import { showQuota } from "#display/quota.ts";
import type { TextKey } from "#i18n/t.ts";
import { operationTexts } from "./operation-texts.ts";
import { systemTexts } from "./system-texts.ts";

export type OptionText = { readonly label: TextKey; readonly help: TextKey | null };
export type OptionTexts = Partial<Record<OptionName, OptionText>>;

/** Options that stand in a section; the others are shown nowhere. */
type ShownOption = Exclude<OptionName, keyof typeof unlistedOptions>;

/** An option without a text is a type error here. */
const texts: Record<ShownOption, OptionText> = { ...operationTexts, ...systemTexts };
const textsByName: OptionTexts = texts;

export function optionText(name: OptionName): OptionText {
  const text = textsByName[name];
  if (text === undefined) throw new Error(`${name} stands in no section`);
  return text;
}

/** By the name of `OptionSection`. */
export const sectionTitles: Readonly<Record<string, TextKey>> = {
  botCheck: "settings.sectionBotCheck",
  chats: "settings.sectionChats",
  claude: "settings.sectionClaude",
  content: "settings.sectionContent",
  dataExport: "settings.sectionDataExport",
  drawing: "settings.sectionDrawing",
  gemini: "settings.sectionGemini",
  general: "settings.sectionGeneral",
  github: "settings.sectionGithub",
  linuxdo: "settings.sectionLinuxdo",
  log: "settings.sectionLog",
  mail: "settings.sectionMail",
  monitoring: "settings.sectionMonitoring",
  oidc: "settings.sectionOidc",
  passThrough: "settings.sectionPassThrough",
  payment: "settings.sectionPayment",
  prices: "settings.sectionPrices",
  quota: "settings.sectionQuota",
  rateLimit: "settings.sectionRateLimit",
  registration: "settings.sectionRegistration",
  relay: "settings.sectionRelay",
  sensitiveWords: "settings.sectionSensitiveWords",
  server: "settings.sectionServer",
  signIn: "settings.sectionSignIn",
  telegram: "settings.sectionTelegram",
  wechat: "settings.sectionWechat",
  worker: "settings.sectionWorker",
};

export function sectionTitle({ name }: Pick<OptionSection, "name">): TextKey {
  const title = sectionTitles[name];
  if (title === undefined) throw new Error(`the section ${name} has no title`);
  return title;
}

export const unitTexts: Partial<Record<OptionName, TextKey>> = {
  ChannelDisableThreshold: "settings.unitSeconds",
  DataExportInterval: "settings.unitMinutes",
  LogContentMaxBytes: "settings.unitBytes",
  MinTopUp: "settings.unitDollars",
  ModelRequestRateLimitDurationMinutes: "settings.unitMinutes",
  Price: "settings.unitYuan",
  RelayBodyMegabytesMax: "settings.unitMegabytes",
};

/** Amounts in quota units: what they are in dollars is said beside them. */
const quotaAmounts: ReadonlySet<OptionName> = new Set([
  "QuotaForNewUser",
  "QuotaForInviter",
  "QuotaForInvitee",
  "QuotaRemindThreshold",
  "QuotaPerCallMax",
]);

/** What an amount of quota units is in dollars, as a suffix; undefined: no amount, or unfinished. */
export function dollarsOf(
  name: OptionName,
  text: string,
  quotaPerUnit: number,
): string | undefined {
  if (!quotaAmounts.has(name) || !/^\d{1,15}$/.test(text)) return undefined;
  return `= ${showQuota(Number(text), { quotaPerUnit, inCurrency: true })}`;
}

/** Words of the options that are a choice. */
export const choiceTexts: Readonly<Record<string, TextKey>> = {
  day: "settings.day",
  hour: "settings.hour",
  week: "settings.week",
};

/** Nothing reads it yet: it is shown, so that it is found, and cannot be changed. */
export function isUnread(name: OptionName): boolean {
  return Object.hasOwn(unreadOptions, name);
}

/** A section whose every option is without effect would only be noise. */
export const shownSections: readonly OptionSection[] = optionSections.filter(
  ({ keys }) => !keys.every(isUnread),
);
