/** The state of the token screen in the address. A whole key is never part of it. */

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

/** Masks a pasted key as lists do: enough to find it, and no secret in the browser's history. */
export function maskKeyword(keyword: string): string {
  const bare = keyword.trim().replace(/^sk-/, "");
  return wholeKey.test(bare) ? `sk-${bare.slice(0, 4)}${mask}${bare.slice(-4)}` : keyword;
}

/** Splits a keyword into a search for keys, if it looks like part of one, or for names. */
export function searchOf(keyword: string): { readonly keyword?: string; readonly token?: string } {
  const text = keyword.trim();
  const isKey = text.startsWith("sk-") || text.includes(mask);
  return isKey ? { token: text } : { keyword: text };
}
