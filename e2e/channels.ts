/** Steps that create and find channels, for several journeys. */

import type { Locator, Page } from "@playwright/test";
import type { Site } from "./support.ts";

type Row = {
  readonly id: number;
  readonly name: string;
  readonly status: number;
  readonly priority: number;
  readonly weight: number;
  readonly tag: string | null;
  readonly key_count: number;
  readonly test_time: number;
  readonly used_quota: number;
};

/**
 * Steps on the channels of one test. Their names contain `mark`, because tests share the product.
 */
export function channelsOf(site: Site, mark: string) {
  const { call } = site.api.admin;
  return {
    async create(fields: object = {}): Promise<number> {
      const channel = {
        type: 1,
        name: `${mark} one`,
        key: `sk-${mark}-0123456789`,
        base_url: site.upstream,
        models: "demo-fast,demo-error",
        group: "default",
        ...fields,
      };
      // Safe cast: the contract of `createChannel`.
      const ids = (await call("POST", "/api/channel/", channel)) as number[];
      return ids[0] ?? 0;
    },
    async list(): Promise<Row[]> {
      const path = `/api/channel/search?keyword=${encodeURIComponent(mark)}&id_sort=true`;
      return (await call("GET", path)) as Row[]; // Safe cast: the contract of `searchChannels`.
    },
  };
}

/** Finds the first row of the list that contains this name. */
export const rowOf = (page: Page, name: string): Locator =>
  page.getByRole("row").filter({ hasText: name }).first();

/** Chooses an item of a row's menu. */
export async function choose(page: Page, name: string, entry: string): Promise<void> {
  await rowOf(page, name).getByRole("button", { name: /更多/ }).click();
  await page.getByRole("menuitem", { name: entry, exact: true }).click();
}
