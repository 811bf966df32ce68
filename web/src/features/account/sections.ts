/** The sections of the account screen in their order; each name is also the section's anchor. */

import type { TextKey } from "#i18n/t.ts";

export const sectionTitles = {
  account: "account.account",
  password: "account.password",
  security: "account.security",
  sessions: "account.sessions",
  bindings: "account.bindings",
  "access-token": "account.accessToken",
  models: "account.models",
  invitations: "account.invitations",
  notices: "account.notices",
  history: "account.history",
  delete: "account.delete",
} as const satisfies Readonly<Record<string, TextKey>>;

export type SectionName = keyof typeof sectionTitles;

/** Whether self-use mode hides the section, because it is about payment. */
export function isOfPayment(name: SectionName): boolean {
  return name === "invitations" || name === "history";
}

// Safe cast: the object has exactly the keys of `SectionName`.
export const sectionNames = Object.keys(sectionTitles) as SectionName[];
