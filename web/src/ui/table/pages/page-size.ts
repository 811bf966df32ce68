/** How many rows a page has: one choice for every list, kept in the browser. */

/** The specification's sizes. */
export const pageSizes = [10, 20, 50, 100] as const;
export type PageSize = (typeof pageSizes)[number];

/** What a browser that has never chosen gets; a link without a size means this. */
export const pageSizeDefault: PageSize = 20;

/** Local storage's name for the choice; the specification's. */
export const pageSizeKey = "page-size";

export function readPageSize(): PageSize {
  const stored = Number(localStorage.getItem(pageSizeKey));
  return pageSizes.find((size) => size === stored) ?? pageSizeDefault;
}

export function storePageSize(size: PageSize): void {
  localStorage.setItem(pageSizeKey, String(size));
}
