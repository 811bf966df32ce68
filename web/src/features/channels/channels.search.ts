/** The part of the address that holds the state of the channel list. */

import { z } from "zod";
import { hideKey } from "#ui/copy/kept-secret.ts";
import { storageKey } from "#page/base-path.ts";
import { listSearch } from "#ui/table/list-search.ts";

/** Key in local storage for the order "newest first"; fixed by the product's specification. */
export const idSortKey = storageKey("id-sort");

const flag = z.union([z.boolean(), z.literal(["true", "false"])]).transform(String);

export const channelSearch = listSearch.extend({
  /** An id, a part of a name, or the masked form of a key, which the page remembers. */
  keyword: z.string().transform(hideKey).catch(""),
  group: z.string().catch(""),
  model: z.string().catch(""),
  /** The filters by status and type: numbers as text; empty: no filter. */
  status: z.string().catch(""),
  type: z.string().catch(""),
  /** "failed": only channels whose last test failed. */
  test: z.string().catch(""),
  /** "true": one row per tag. */
  tag_mode: flag.catch("false"),
  /**
   * "true": newest channels first. If the address does not say, the last choice in this browser
   * counts.
   */
  id_sort: flag.catch(() => readIdSort()),
});
/** The state of a list without filters. */
export const noFilters = { keyword: "", group: "", model: "", status: "", type: "", test: "" };

export type ChannelSearch = z.output<typeof channelSearch>;

function readIdSort(): string {
  return localStorage.getItem(idSortKey) === "true" ? "true" : "false";
}

/** What the parameter `open` of the address opens. */
type Opened =
  | { readonly kind: "none" }
  | { readonly kind: "new" }
  | { readonly kind: "edit"; readonly id: number }
  | { readonly kind: "test"; readonly id: number }
  | { readonly kind: "tag"; readonly tag: string };

const testPrefix = "test-";
const tagPrefix = "tag-";

/** The value of `open` for a channel's tests and, below, the value for a tag. */
export const openTest = (id: number): string => `${testPrefix}${id}`;
export const openTag = (tag: string): string => tagPrefix + tag;

export function readOpened(open: string): Opened {
  if (open === "new") return { kind: "new" };
  if (open.startsWith(tagPrefix)) return { kind: "tag", tag: open.slice(tagPrefix.length) };
  const isTest = open.startsWith(testPrefix);
  const text = isTest ? open.slice(testPrefix.length) : open;
  if (!/^\d{1,15}$/.test(text)) return { kind: "none" };
  return { kind: isTest ? "test" : "edit", id: Number(text) };
}
