/** The rows of a page: one choice for every list, stored in the browser. */

/** The specification's sizes. */
export const pageSizes = [10, 20, 50, 100] as const;
export type PageSize = (typeof pageSizes)[number];

/** The default, and the size that a link without one means. */
export const pageSizeDefault: PageSize = 20;

/** Key in local storage for the choice; the specification's. */
export const pageSizeKey = "page-size";

export function readPageSize(): PageSize {
  const stored = Number(localStorage.getItem(pageSizeKey));
  return pageSizes.find((size) => size === stored) ?? pageSizeDefault;
}

export function storePageSize(size: PageSize): void {
  localStorage.setItem(pageSizeKey, String(size));
}
