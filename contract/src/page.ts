/** Paging by page number, the same for every list. */

import { z } from "zod";
import { queryWhole } from "./fields.ts";

/** Rows a page has when the caller does not say. */
const pageSizeDefault = 10;

/** Most rows one call answers with. Keeps an answer below ~100 kB of JSON. */
export const pageSizeMax = 100;

/** Last page that can be asked for. A caller who needs what lies behind it searches. */
const pageMax = 10_000;

/** Paging part of a list endpoint's input. `size` is another spelling of `page_size`. */
export const pageInput = { p: queryWhole, page_size: queryWhole, size: queryWhole };

export type PageInput = z.infer<z.ZodObject<typeof pageInput>>;

export type PageWindow = { readonly page: number; readonly page_size: number };

/** The window a caller asked for, within the limits above. Page 0 is the first page, like 1. */
export function readPageWindow(input: PageInput): PageWindow {
  return { page: clamp(input.p ?? 1, pageMax), page_size: readPageSize(input) };
}

/** The same of a list that counts pages from 0; −1 is the first page, like 0. */
export function readPageWindowFromZero(input: PageInput): PageWindow {
  return { page: clamp((input.p ?? 0) + 1, pageMax), page_size: readPageSize(input) };
}

function readPageSize(input: PageInput): number {
  return clamp(input.page_size || input.size || pageSizeDefault, pageSizeMax);
}

/** One page of `item`s. `total` counts the rows of all pages. */
export function page<Item extends z.ZodType>(item: Item) {
  const count = z.number().int();
  return z.object({ items: z.array(item), page: count, page_size: count, total: count });
}

function clamp(value: number, max: number): number {
  return Math.min(Math.max(value, 1), max);
}
