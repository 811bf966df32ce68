/** The part of the address that says which margins are shown. */

import { namedSpan } from "@tollgate/contract/endpoints/dashboard.ts";
import { z } from "zod";
import { listSearch } from "#ui/table/list-search.ts";

const text = z.coerce.string().trim().max(255).default("").catch("");
const seconds = z.coerce.number().int().min(0).catch(0);

/** What the rows are: sums by one thing, or single calls that were sold below cost. */
export const marginViews = ["models", "channels", "users", "groups", "losses"] as const;
export type MarginView = (typeof marginViews)[number];

export const marginSearch = listSearch.extend({
  by: z.enum(marginViews).catch("models"),
  span: namedSpan.catch("7d"),
  /** A time range in Unix seconds, instead of the span; 0: none. */
  start: seconds,
  end: seconds,
  model_name: text,
  group: text,
  username: text,
  channel: z.coerce
    .string()
    .regex(/^\d{0,15}$/)
    .default("")
    .catch(""),
  /** "true": only what was sold below cost. */
  below: z
    .union([z.boolean(), z.literal(["true", "false"])])
    .transform(String)
    .catch("false"),
});
export type MarginSearch = z.output<typeof marginSearch>;
