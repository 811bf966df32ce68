/** The part of the address that holds the state of the user lists. */

import { keywordMax } from "@tollgate/contract/fields/fields.ts";
import { z } from "zod";
import { listSearch } from "#ui/table/list-search.ts";

const text = z.coerce.string().max(keywordMax).default("").catch("");

export const userSearch = listSearch.extend({ keyword: text, group: text });
export type UserSearch = z.output<typeof userSearch>;

/**
 * What the parameter `open` of the address opens: a sheet for a new or an existing user, a user's
 * quota history, or the waiver of a user's debt.
 */
type Opened =
  | { readonly kind: "none" }
  | { readonly kind: "new" }
  | { readonly kind: "edit"; readonly id: number }
  | { readonly kind: "debt"; readonly id: number }
  | { readonly kind: "history"; readonly id: number; readonly page: number };

const historyPrefix = "history-";

/**
 * Returns the value of `open` for a user's quota history, such as `history-7-2` for page 2 of user
 * 7.
 */
export function openHistory(id: number, page = 1): string {
  return page === 1 ? `${historyPrefix}${id}` : `${historyPrefix}${id}-${page}`;
}

const debtPrefix = "debt-";

/** Returns the value of `open` for the waiver of a user's debt. */
export function openDebt(id: number): string {
  return `${debtPrefix}${id}`;
}

export function readOpened(open: string): Opened {
  if (open === "new") return { kind: "new" };
  const [, debtor] = /^debt-(\d{1,15})$/.exec(open) ?? [];
  if (debtor !== undefined) return { kind: "debt", id: Number(debtor) };
  const [, isHistory, id, page = "1"] = /^(history-)?(\d{1,15})(?:-(\d{1,5}))?$/.exec(open) ?? [];
  if (id === undefined) return { kind: "none" };
  if (isHistory !== undefined) {
    return { kind: "history", id: Number(id), page: Math.max(1, Number(page)) };
  }
  return { kind: "edit", id: Number(id) };
}
