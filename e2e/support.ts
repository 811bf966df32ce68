/**
 * The base of every journey. Each worker has one product with a demo upstream and one session for
 * each role: `test.use({ as: "user" })` chooses the page's user; null: not signed in.
 */

import { readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { AxeBuilder } from "@axe-core/playwright";
import { type Page, test as base, expect } from "@playwright/test";
import { type ContextKeeper, keepContext } from "./kept-context.ts";
import { type Account, type Api, apiOf, type Session } from "./product.ts";
import { addUser, type Installed, productOf, type Role } from "./products.ts";

export { addUser, expect };

type Options = {
  /** The role as which the page is signed in; root by default, null: not signed in. */
  readonly as: Role | null;
};

/** The worker's product: address, accounts, demo upstream and console API. */
export type Site = {
  readonly origin: string;
  /** Base URL of the demo upstream, for channels. */
  readonly upstream: string;
  /**
   * The key of a token of root's, with the prefix `sk-`; `model` is a model that the token can
   * call.
   */
  readonly key: string;
  readonly model: string;
  readonly accounts: Readonly<Record<Role, Account>>;
  readonly api: Readonly<Record<Role, Api>>;
};

/** Signs the browser's further pages in with another session. */
export type Enter = (api: Session) => Promise<void>;

type Fixtures = Options & { readonly enter: Enter };

export const test = base.extend<Fixtures, { site: Site; keeper: ContextKeeper }>({
  site: [
    // oxlint-disable-next-line no-empty-pattern -- Playwright reads from it what is needed: nothing
    async ({}, use, { parallelIndex }) => {
      await use(siteOf(await productOf(parallelIndex)));
    },
    { scope: "worker" },
  ],
  keeper: [
    async ({ browser }, use) => {
      await use(keepContext(browser));
    },
    { scope: "worker" },
  ],
  as: ["root", { option: true }],
  baseURL: async ({ site }, use) => await use(site.origin),
  // The session for contexts that a test creates itself; `context` below gives the test's own
  // context its session.
  storageState: async ({ site, as }, use) => {
    await use(as === null ? { cookies: [], origins: [] } : storageOf(site, site.api[as]));
  },
  context: async (
    { keeper, site, as, permissions, viewport, locale, colorScheme, hasTouch, isMobile },
    use,
  ) => {
    const made = JSON.stringify({ viewport, locale, colorScheme, hasTouch, isMobile });
    const context = await keeper.take(made, site.origin);
    if (as !== null) await keeper.enter(storageOf(site, site.api[as]));
    if (permissions !== undefined) await context.grantPermissions(permissions);
    await use(context);
    const { status, expectedStatus } = test.info();
    const shown = context.pages().at(-1);
    if (status === expectedStatus || shown === undefined) return;
    // Playwright itself attaches a picture of the context's first page only, which is the empty
    // page that `kept-context.ts` keeps open, not the one under test.
    const body = await shown.locator("body").ariaSnapshot();
    await test.info().attach("what the page shows", { body });
  },
  enter: async ({ keeper, site, context: _ }, use) => {
    await use(async (api) => await keeper.enter(storageOf(site, api)));
  },
});

/** Opens the console API of an installation for each role. */
export function siteOf({ sessions, ...installed }: Installed): Site {
  const open = (role: Role) => apiOf(installed.origin, sessions[role]);
  return { ...installed, api: { root: open("root"), admin: open("admin"), user: open("user") } };
}

/** Returns what a browser stores for a session after a sign-in: its cookie and the user's data. */
export function storageOf({ origin }: Pick<Site, "origin">, { user, cookie }: Session) {
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

/** Fills in the sign-in form and sends it. */
export async function signInByForm(page: Page, account: Account): Promise<void> {
  await page.locator("input[autocomplete=username]").fill(account.username);
  await page.locator("input[autocomplete=current-password]").fill(account.password);
  await page.locator("form button[type=submit]").click();
}

/**
 * Fails with every finding of axe.
 * @param except the rules that do not hold in this state, for a reason that the test names.
 */
export async function expectAccessible(page: Page, except: readonly string[] = []): Promise<void> {
  // Waits for a heading, because the frame that is shown while code is loaded has none.
  await page.locator("h1").first().waitFor({ state: "attached" });
  // Safe cast: axe has a type of its own for the same page object.
  const builder = new AxeBuilder({ page: page as never });
  // Collecting the passed checks as well would double the time that axe takes.
  const rules = Object.fromEntries(except.map((rule) => [rule, { enabled: false }]));
  builder.setLegacyMode(true).options({ resultTypes: ["violations"], rules });
  const { violations } = await builder.analyze();
  const found = violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => ({ id, html, failureSummary })),
  );
  expect(found).toEqual([]);
}

/** Fails if the page, or its scrolling part, is wider than its frame. */
export async function expectNoSidewaysScroll(page: Page): Promise<void> {
  const wide = await page.evaluate(() => {
    const parts = [document.documentElement, ...document.querySelectorAll("main")];
    return parts
      .filter((part) => part.scrollWidth > part.clientWidth + 1)
      .map((part) => `${part.tagName}: ${part.scrollWidth} px in ${part.clientWidth} px`);
  });
  expect(wide).toEqual([]);
}

/**
 * The areas of the text catalogue, by the names of its files. Every text key begins with an area.
 */
const areas = readdirSync(join(dirname(dirname(fileURLToPath(import.meta.url))), "web/src/i18n/zh"))
  .map((file) => file.replace(/\.json$/, ""))
  .map((name) => name.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase()));

const keyPattern = new RegExp(`\\b(${areas.join("|")})\\.[a-z]\\w+\\b`, "g");

/** Fails if a key is shown instead of its text. Code may have names that look like keys. */
export async function expectTranslated(page: Page): Promise<void> {
  const text = await page.locator("body").innerText();
  const code = (await page.locator("pre, code").allInnerTexts()).join("\n");
  const keys = text.match(keyPattern) ?? [];
  expect(keys.filter((key) => !code.includes(key))).toEqual([]);
}

/**
 * Waits until an opening part has reached its place. For axe a dialog that is still transparent
 * does not exist, so it would judge the focusable page behind it.
 */
async function waitUntilStill(page: Page): Promise<void> {
  await page.waitForFunction(
    () =>
      document.querySelector("[data-starting-style]") === null &&
      document
        .getAnimations()
        .every(
          ({ effect, playState }) =>
            playState !== "running" || effect?.getComputedTiming().endTime === Infinity,
        ),
  );
}

/** How long a page may ask before it counts as loaded, in milliseconds. */
const askingMaxMs = 5_000;

/** Waits until nothing is asked of the server. A screen whose rows are pushed always asks. */
export async function waitUntilLoaded(page: Page): Promise<void> {
  await page.waitForLoadState("networkidle", { timeout: askingMaxMs }).catch(() => {});
}

/** Expects that the page is accessible, fits its width, and shows no key instead of a text. */
export async function expectFitForAll(page: Page): Promise<void> {
  await waitUntilLoaded(page);
  await waitUntilStill(page);
  await expectNoSidewaysScroll(page);
  await expectTranslated(page);
  await expectAccessible(page);
}

/**
 * Collects the uncaught errors of the page, and the loads that its content security policy blocked.
 */
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
