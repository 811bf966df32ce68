/** Steps that the journeys about tokens share: making and finding tokens, and calling with them. */

import type { Locator, Page } from "@playwright/test";
import { expect, type Site, test } from "./support.ts";

type TokenRow = {
  readonly id: number;
  readonly name: string;
  readonly key: string;
  readonly status: number;
};
type Fields = Readonly<Record<string, unknown>>;

let made = 0;

/** Makes a name that no other test of this worker uses. */
export const unique = (name: string) => `${name}-${Date.now().toString(36)}${(made += 1)}`;

/** Makes a token of the user. Returns its row; `key` is whole, without `sk-`. */
export async function add(site: Site, fields: Fields): Promise<TokenRow> {
  const token = { expired_time: -1, remain_quota: 500_000, ...fields };
  // Safe cast: the contract of `createToken`.
  return (await site.api.user.call("POST", "/api/token/", token)) as TokenRow;
}

/** Finds the user's tokens whose names contain `name`. */
export async function find(site: Site, name: string): Promise<(TokenRow & Fields)[]> {
  const path = `/api/token/search?keyword=${encodeURIComponent(name)}`;
  // Safe cast: the contract of `searchTokens`.
  return (await site.api.user.call("GET", path)) as (TokenRow & Fields)[];
}

/** Makes a call through the relay with this key. Returns the HTTP status. */
export async function ask(site: Site, key: string, model = site.model): Promise<number> {
  const answer = await fetch(`${site.origin}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ model, messages: [{ role: "user", content: "hi" }] }),
  });
  await answer.text();
  return answer.status;
}

export const rowOf = (page: Page, name: string): Locator =>
  page.getByRole("row").filter({ has: page.getByText(name, { exact: true }) });

/** Finds the open sheet by its header. A toast has the same ARIA role, but no header. */
export const sheetOf = (page: Page): Locator => page.locator("[role=dialog]:has(header)");

export const clipboard = (page: Page): Promise<string> =>
  page.evaluate(() => navigator.clipboard.readText());

export async function openNew(page: Page): Promise<Locator> {
  await page.goto("/token?open=new");
  const sheet = sheetOf(page);
  await expect(sheet.getByRole("textbox", { name: "名称" })).toBeFocused();
  return sheet;
}

/** Runs the journeys of a file as an ordinary user with quota and access to the clipboard. */
export function asUserWithQuota(): void {
  test.use({ as: "user" });
  test.beforeEach(async ({ context, site }) => {
    const granted = ["clipboard-read", "clipboard-write"];
    await context.grantPermissions(granted, { origin: site.origin });
    const { id, username } = site.api.user.user;
    const change = { id, username, quota_delta: 1_000_000 };
    await site.api.root.call("PUT", "/api/user/", change);
  });
}
