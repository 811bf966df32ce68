/**
 * The call that reads the usage and prices from which a charge was computed. It has a file of its
 * own, so that screens that compute no charges do not load the schemas of prices.
 */

import { z } from "zod";
import { chargedUsage, priceList } from "@tollgate/contract/money/charge.ts";
import { endpoint } from "./endpoint.ts";
import { id } from "@tollgate/contract/fields/fields.ts";

/** What the charge of a row was computed from; `charge.ts` computes the charge from it. */
const rerated = z.object({
  /** The re-rate; 0: what re-rates had added was taken back, because the charge was given back. */
  rerate: z.number().int(),
  /** Unix seconds. */
  at: z.number().int(),
  before: z.number().int(),
  after: z.number().int(),
  /** The price version that the call was charged by then; 0: that of before. */
  version: z.number().int(),
  /** What root told the users of it. */
  notice: z.string(),
});

const logCharge = z.object({
  /** The token counts that were charged; null: not known, as in rows that other gateways wrote. */
  usage: chargedUsage.nullable(),
  /**
   * The prices by which the row was charged, reduced to this model and group; null: the row has no
   * price version.
   */
  prices: priceList.nullable(),
  /**
   * Quota units that the call cost beyond its hold and the balance; nobody was charged for them.
   */
  write_off: z.number().int(),
  /** How the row was charged again since, oldest first. */
  rerates: z.array(rerated),
});
export type LogCharge = z.infer<typeof logCharge>;

/**
 * Reads what the charge of a row was computed from. Users may read their own rows, admins all rows.
 */
export const readLogCharge = endpoint({
  method: "GET",
  path: "/api/log/charge/:id",
  access: "user",
  input: z.object({ id }),
  output: logCharge,
});
