/** The terms that the console explains, in the order of the help page. */

import type { OptionName } from "@tollgate/contract/options/options.ts";
import type { TextKey } from "#i18n/t.ts";

export const helpTerms = ["ratio", "group", "quota", "priority", "weight", "hold"] as const;
export type HelpTerm = (typeof helpTerms)[number];

/** Each term's texts: a title, one sentence, and a longer explanation with an example. */
export const helpTexts = {
  ratio: ["help.ratio", "help.ratioShort", "help.ratioMore"],
  group: ["help.group", "help.groupShort", "help.groupMore"],
  quota: ["help.quota", "help.quotaShort", "help.quotaMore"],
  priority: ["help.priority", "help.priorityShort", "help.priorityMore"],
  weight: ["help.weight", "help.weightShort", "help.weightMore"],
  hold: ["help.hold", "help.holdShort", "help.holdMore"],
} as const satisfies Readonly<Record<HelpTerm, readonly [TextKey, TextKey, TextKey]>>;

/** The options whose label uses one of the terms: they get a "?" button. */
export const optionTerms: Partial<Readonly<Record<OptionName, HelpTerm>>> = {
  GroupRatio: "ratio",
  UserUsableGroups: "group",
  ModelRatio: "ratio",
  CompletionRatio: "ratio",
  PreConsumedQuota: "hold",
  QuotaForNewUser: "quota",
  QuotaPerCallMax: "hold",
  QuotaPerMinuteMax: "hold",
  QuotaPerUnit: "quota",
  QuotaPerUserHourMax: "hold",
};
