/** The part of the address that holds what the dashboard shows. */

import { namedSpan } from "@tollgate/contract/endpoints/dashboard.ts";
import { z } from "zod";
import { listSearch } from "#ui/table/list-search.ts";

const text = z.coerce.string().trim().max(100).default("").catch("");
const digits = z.coerce
  .string()
  .regex(/^\d{0,15}$/)
  .default("")
  .catch("");
const seconds = z.coerce.number().int().min(0).catch(0);

export const dashboardSearch = listSearch.extend({
  /** The span, unless `start` is set. */
  span: namedSpan.catch("3d"),
  /** A span of one's own, in Unix seconds; 0: none. */
  start: seconds,
  end: seconds,
  /** What a bar stands for; empty: as the operator set it. */
  by: z.enum(["", "hour", "day", "week"]).catch(""),
  model_name: text,
  group: text,
  token_id: digits,
  /** Filters that only admins have. */
  username: text,
  channel: digits,
  view: z.enum(["chart", "table"]).catch("chart"),
});
export type DashboardSearch = z.output<typeof dashboardSearch>;
