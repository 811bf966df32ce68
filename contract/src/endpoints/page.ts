/** Paging by page number, used by every list. */

import { z } from "zod";
import { queryWhole } from "@tollgate/contract/fields/fields.ts";

/** Number of rows of a page if the caller does not say it. */
const pageSizeDefault = 10;

/** The largest number of rows of one answer, which keeps it below ~100 kB of JSON. */
export const pageSizeMax = 100;

/** The last page that can be asked for. Rows beyond it can only be found by searching. */
const pageMax = 10_000;

/** The paging fields of a list endpoint's input. `size` is another name of `page_size`. */
export const pageInput = { p: queryWhole, page_size: queryWhole, size: queryWhole };

export type PageInput = z.infer<z.ZodObject<typeof pageInput>>;

export type PageWindow = { readonly page: number; readonly page_size: number };

/**
 * Returns the page that a caller asked for, limited to allowed sizes and numbers. Page 0 is the
 * first page, like 1.
 */
export function readPageWindow(input: PageInput): PageWindow {
  return { page: clamp(input.p ?? 1, pageMax), page_size: readPageSize(input) };
}

/** Like `readPageWindow`, for lists that count pages from 0; −1 is the first page, like 0. */
export function readPageWindowFromZero(input: PageInput): PageWindow {
  return { page: clamp((input.p ?? 0) + 1, pageMax), page_size: readPageSize(input) };
}

function readPageSize(input: PageInput): number {
  return clamp(input.page_size || input.size || pageSizeDefault, pageSizeMax);
}

/** Makes the schema of one page of `item`s. `total` counts the rows of all pages. */
export function page<Item extends z.ZodType>(item: Item) {
  const count = z.number().int();
  return z.object({ items: z.array(item), page: count, page_size: count, total: count });
}

function clamp(value: number, max: number): number {
  return Math.min(Math.max(value, 1), max);
}
