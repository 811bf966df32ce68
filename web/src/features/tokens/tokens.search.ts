/**
 * The part of the address that holds the state of the token list. A whole key is a secret and never
 * part of it.
 */

import { tokenKeyLength } from "@tollgate/contract/endpoints/tokens.ts";
import { z } from "zod";
import { isLikeKey } from "#ui/copy/kept-secret.ts";
import { listSearch } from "#ui/table/list-search.ts";

export const tokenSearch = listSearch.extend({
  /** A part of a name, or a masked key; see `maskKeyword`. */
  keyword: z.coerce.string().max(100).default("").catch(""),
  /** A part of the owner's name, where the list has the tokens of all users. */
  username: z.coerce.string().trim().max(100).default("").catch(""),
});
export type TokenSearch = z.output<typeof tokenSearch>;

const mask = "••••";
const wholeKey = new RegExp(`^[0-9A-Za-z]{${tokenKeyLength}}$`);

/**
 * Masks a whole key, ours or a provider's, that was pasted as keyword. The masked form is enough to find the token, and
 * leaves no secret in the browser's history.
 */
export function maskKeyword(keyword: string): string {
  const bare = keyword.trim().replace(/^sk-/, "");
  return wholeKey.test(bare) || isLikeKey(keyword)
    ? `sk-${bare.slice(0, 4)}${mask}${bare.slice(-4)}`
    : keyword;
}

/**
 * Turns the keyword into a search for keys, if it looks like a part of one, or otherwise for names.
 */
export function searchOf(keyword: string): { readonly keyword?: string; readonly token?: string } {
  const text = keyword.trim();
  const isKey = text.startsWith("sk-") || /[0-9A-Za-z](?:•+|\*{3}|…)[0-9A-Za-z]/.test(text);
  return isKey ? { token: text } : { keyword: text };
}
