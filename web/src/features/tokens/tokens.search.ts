/** What of the token screen lives in the address. A whole key never does. */

import { tokenKeyLength } from "@tollgate/contract/tokens.ts";
import { z } from "zod";
import { listSearch } from "#ui/table/list-search.ts";

export const tokenSearch = listSearch.extend({
  /** A part of a name, or a masked key; see `maskKeyword`. */
  keyword: z.coerce.string().max(100).default("").catch(""),
});
export type TokenSearch = z.output<typeof tokenSearch>;

const mask = "••••";
const wholeKey = new RegExp(`^[0-9A-Za-z]{${tokenKeyLength}}$`);

/** A pasted key as lists show it: enough to find it, and no secret in the address or its history. */
export function maskKeyword(keyword: string): string {
  const bare = keyword.trim().replace(/^sk-/, "");
  return wholeKey.test(bare) ? `sk-${bare.slice(0, 4)}${mask}${bare.slice(-4)}` : keyword;
}

/** What a keyword searches: keys when it looks like a part of one, else names. */
export function searchOf(keyword: string): { readonly keyword?: string; readonly token?: string } {
  const text = keyword.trim();
  const isKey = text.startsWith("sk-") || text.includes(mask);
  return isKey ? { token: text } : { keyword: text };
}
