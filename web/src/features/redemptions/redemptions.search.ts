/** The part of the address that holds the state of the list of redemption codes. */

import { redemptionKeyLength } from "@tollgate/contract/endpoints/redemptions.ts";
import { z } from "zod";
import { listSearch } from "#ui/table/list-search.ts";

const text = z.coerce.string().max(100).default("").catch("");

export const redemptionSearch = listSearch.extend({
  /** An id, or the beginning of a name. */
  keyword: text,
  /** A number of `redemptionStatus`; 0: codes in any state. */
  status: z.coerce.number().int().min(0).max(3).default(0).catch(0),
  /** The beginning of the name of the user who redeemed the code. */
  used_by: text,
});
export type RedemptionSearch = z.output<typeof redemptionSearch>;

const wholeCode = new RegExp(`^[0-9A-Za-z]{${redemptionKeyLength}}$`);

/** Whether the text is a whole code, which is a secret and never part of the address. */
export function isWholeCode(keyword: string): boolean {
  return wholeCode.test(keyword.trim());
}
