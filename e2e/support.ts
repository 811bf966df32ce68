/**
 * What every journey stands on. Each worker shares one product with a demo upstream, and one
 * session a role: `test.use({ as: "user" })` chooses who a page is signed in as; null is nobody.
 */

import { readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { AxeBuilder } from "@axe-core/playwright";
import { type Page, test as base, expect } from "@playwright/test";
import {
  type Account,
  type Api,
  type Product,
  rootAccount,
  signIn,
  startProduct,
} from "./product.ts";

export { expect };

export type Role = "root" | "admin" | "user";

export type Options = {
  /** Whose session the page has; root's unless told. */
  readonly as: Role | null;
};

/** The worker's product: address, accounts, the demo upstream and the console API. */
export type Site = {
  readonly origin: string;
  /** Base URL of the demo upstream, for channels. */
  readonly upstream: string;
  /** An `sk-` token of root's, and a model it can call. */
  readonly key: string;
  readonly model: string;
  readonly accounts: Readonly<Record<Role, Account>>;
  readonly api: Readonly<Record<Role, Api>>;
};

export const test = base.extend<Options, { site: Site }>({
  site: [
    // oxlint-disable-next-line no-empty-pattern -- Playwright reads from it what is needed: nothing
    async ({}, use) => {
      const product = await startProduct({ demo: true, account: rootAccount });
      try {
        await use(await openSite(product));
      } finally {
        await product.stop();
      }
    },
    { scope: "worker" },
  ],
  as: ["root", { option: true }],
  baseURL: async ({ site }, use) => await use(site.origin),
  storageState: async ({ site, as }, use) => {
    await use(as === null ? { cookies: [], origins: [] } : storageOf(site, site.api[as]));
  },
});

async function openSite(product: Product): Promise<Site> {
  const { origin } = product;
  const root = await signIn(origin, rootAccount);
  // Journeys of one session come faster than any person.
  await root.call("PUT", "/api/option/", { key: "ConsoleRequestsPerMinute", value: "0" });
  const admin = await addUser(root, "admin1");
  await root.call("POST", "/api/user/manage", { username: admin.username, action: "promote" });
  const user = await addUser(root, "user1");
  const output = product.output();
  return {
    origin,
    upstream: /Demo upstream .* is at (\S+)/.exec(output)?.[1] ?? "",
    key: /Bearer (sk-\w+)/.exec(output)?.[1] ?? "",
    model: /"model":"([^"]+)"/.exec(output)?.[1] ?? "",
    accounts: { root: rootAccount, admin, user },
    api: { root, admin: await signIn(origin, admin), user: await signIn(origin, user) },
  };
}

/** A user with a password that nobody needs to know. */
export async function addUser(root: Api, username: string): Promise<Account> {
  const account = { username, password: `password of ${username}` };
  await root.call("POST", "/api/user/", { ...account, display_name: username });
  return account;
}

/** What a browser holds after that sign-in. */
export function storageOf({ origin }: Pick<Site, "origin">, { user, cookie }: Api) {
  const [name = "", value = ""] = cookie.split("=");
  return {
    cookies: [
      {
        name,
        value,
        domain: new URL(origin).hostname,
        path: "/",
        expires: -1,
        httpOnly: true,
        secure: false,
        sameSite: "Lax" as const,
      },
    ],
    origins: [{ origin, localStorage: [{ name: "user", value: JSON.stringify(user) }] }],
  };
}

/** Types into the sign-in form and sends it. */
export async function signInByForm(page: Page, account: Account): Promise<void> {
  await page.locator("input[autocomplete=username]").fill(account.username);
  await page.locator("input[autocomplete=current-password]").fill(account.password);
  await page.locator("form button[type=submit]").click();
}

/** Fails with what axe finds that is serious or critical. */
export async function expectAccessible(page: Page): Promise<void> {
  // Its own copy of the driver has the same page by another name.
  const builder = new AxeBuilder({ page: page as never });
  const { violations } = await builder.setLegacyMode(true).analyze();
  const grave = violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => ({ id, html, failureSummary })),
    );
  expect(grave).toEqual([]);
}

/** Fails when the page, or the part of it that scrolls, is wider than what shows it. */
export async function expectNoSidewaysScroll(page: Page): Promise<void> {
  const wide = await page.evaluate(() => {
    const parts = [document.documentElement, ...document.querySelectorAll("main")];
    return parts
      .filter((part) => part.scrollWidth > part.clientWidth + 1)
      .map((part) => `${part.tagName}: ${part.scrollWidth} px in ${part.clientWidth} px`);
  });
  expect(wide).toEqual([]);
}

/** Areas of the catalogue, as they begin a key. */
const areas = readdirSync(join(dirname(dirname(fileURLToPath(import.meta.url))), "web/src/i18n/zh"))
  .map((file) => file.replace(/\.json$/, ""))
  .map((name) => name.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase()));

const keyPattern = new RegExp(`\\b(${areas.join("|")})\\.[a-z]\\w+\\b`, "g");

/** Fails when a key stands where its text should. */
export async function expectTranslated(page: Page): Promise<void> {
  const text = await page.locator("body").innerText();
  expect(text.match(keyPattern) ?? []).toEqual([]);
}

/** Collects what the page complains about: uncaught errors and blocked loads. */
export function watchFaults(page: Page): string[] {
  const faults: string[] = [];
  page.on("pageerror", (error) => faults.push(String(error)));
  page.on("console", (message) => {
    const text = message.text();
    if (message.type() === "error" && /Content Security Policy|React|Warning/.test(text)) {
      faults.push(text);
    }
  });
  return faults;
}
