/** The part of the address that holds the filters of the statistics of channels. */

import { z } from "zod";
import { listSearch } from "#ui/table/list-search.ts";

const seconds = z.coerce.number().int().min(0).catch(0);

export const statisticsSearch = listSearch.extend({
  /** The time range in Unix seconds; 0: no limit. */
  start: seconds,
  end: seconds,
  /** A part of the model's name. */
  model_name: z.coerce.string().trim().max(255).default("").catch(""),
  channel_id: z.coerce
    .string()
    .regex(/^\d{0,15}$/)
    .default("")
    .catch(""),
  /** "true": one row per channel, with its models added up. */
  merge: z
    .union([z.boolean(), z.literal(["true", "false"])])
    .transform(String)
    .catch("false"),
});
export type StatisticsSearch = z.output<typeof statisticsSearch>;
