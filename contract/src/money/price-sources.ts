/** Where the price of each model comes from, and since which day it is known. */

import { z } from "zod";

/**
 * `catalogue`: the dated catalogue of the program; `default`: the list of a new installation;
 * `option`: an option of prices that a console saved; `form`: the console's form; `file`: CSV, or a
 * file of the command line; `sync`: another list, by itself.
 */
export const priceSource = z.object({
  from: z.enum(["catalogue", "default", "option", "form", "file", "sync"]),
  /** The day of the catalogue or list, else the day of the change, as `YYYY-MM-DD` in UTC. */
  date: z.iso.date(),
  /** The provider and the entry of the catalogue that the price is of. */
  provider: z.string().max(100).optional(),
  entry: z.string().max(300).optional(),
  /** Id of the user who set it; absent: nobody did by hand. */
  by: z.number().int().min(0).optional(),
});
export type PriceSource = z.infer<typeof priceSource>;

export const priceSources = z.record(z.string(), priceSource);
