/** The parts of the account in their order; the name is the anchor in the address. */

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

/** Parts about money that comes in, which self-use mode hides. */
export function isOfPayment(name: SectionName): boolean {
  return name === "invitations" || name === "history";
}

// The object has exactly the keys of `SectionName`.
export const sectionNames = Object.keys(sectionTitles) as SectionName[];
