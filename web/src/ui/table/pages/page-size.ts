/** The number of rows on a page. One choice for all lists, stored in the browser. */

import { storageKey } from "#page/base-path.ts";

/** The page sizes that the specification defines. */
export const pageSizes = [10, 20, 50, 100] as const;
export type PageSize = (typeof pageSizes)[number];

/** The page size until the user chooses another; a link without a size means this one, too. */
export const pageSizeDefault: PageSize = 20;

/** Key in local storage for the chosen page size; the specification defines it. */
export const pageSizeKey = storageKey("page-size");

export function readPageSize(): PageSize {
  const stored = Number(localStorage.getItem(pageSizeKey));
  return pageSizes.find((size) => size === stored) ?? pageSizeDefault;
}

export function storePageSize(size: PageSize): void {
  localStorage.setItem(pageSizeKey, String(size));
}
