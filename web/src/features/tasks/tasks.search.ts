/** The part of the address that holds the filters of the lists of tasks. */

import { keywordMax } from "@tollgate/contract/fields/fields.ts";
import { z } from "zod";
import { listSearch } from "#ui/table/list-search.ts";

const text = z.coerce.string().trim().max(keywordMax).default("").catch("");
const whole = z.coerce.number().int().min(0);

/** How far the default range reaches back, in seconds, and into the future, so that new tasks fall into it. */
const rangeSeconds = 30 * 86_400;
const aheadSeconds = 86_400;

/**
 * Makes the schema. Without a range in the address, the list begins 30 days ago.
 *
 * @param nowMs when the screen was opened.
 */
export function taskSearch(nowMs: number) {
  const now = Math.floor(nowMs / 1_000);
  return listSearch.extend({
    start: whole.catch(now - rangeSeconds),
    end: whole.catch(now + aheadSeconds),
    task_id: text,
    platform: text,
    status: text,
    action: text,
    channel: z.coerce
      .string()
      .regex(/^\d{0,15}$/)
      .default("")
      .catch(""),
  });
}
export type TaskSearch = z.output<ReturnType<typeof taskSearch>>;
