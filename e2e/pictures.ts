/** Takes the pictures of every screen for `docs/screens/`. */

import { mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Page } from "@playwright/test";
import { fileURLToPath } from "node:url";
import { openImports } from "./import-example.ts";
import { enliven, isLively } from "./lively.ts";
import { listScreens } from "./screens.ts";
import { rootAccount, signIn } from "./product.ts";
import { storageOf, test } from "./support.ts";

const folder = join(dirname(dirname(fileURLToPath(import.meta.url))), "docs/screens");

/**
 * The addresses of the pictures that are taken besides the one of every screen, by the name of the
 * picture.
 */
const open: Readonly<Record<string, string>> = {
  "channel-new": "/channel?open=new",
  "token-new": "/token?open=new",
  "setting-operation": "/setting?tab=operation",
  "setting-system": "/setting?tab=system",
  palette: "/token",
};

/** What to do on a screen before its picture is taken. */
const acts: Readonly<Record<string, (page: Page) => Promise<void>>> = {
  // Shows the set-up screen as a newcomer sees it. The answers about set-up are replaced, because
  // this installation is set up already.
  async setup(page) {
    await page.route("**/api/setup", async (route) => {
      const data = { status: false, root_init: false, database_type: "sqlite" };
      await route.fulfill({ json: { success: true, message: "", data } });
    });
    await page.route("**/api/status", async (route) => {
      const answer = await (await route.fetch()).json();
      await route.fulfill({ json: { ...answer, data: { ...answer.data, setup: false } } });
    });
    await page.goto("/setup#token=0123456789abcdefghijklmnopqrstuvwxyzABCDEFG");
    // Reloads the page, because the step above changed only the fragment of its address.
    await page.reload();
  },
  // Shows imports that a command would have made: the installation has none.
  import: openImports,
  async palette(page) {
    await page.keyboard.press("Control+k");
  },
  async playground(page) {
    await page.getByRole("textbox").first().fill("用一句话介绍网关的计费。How is a call charged?");
    await page.keyboard.press("Enter");
    await page
      .getByText(/\$0\.0/)
      .first()
      .waitFor();
  },
  async log(page) {
    await page.locator("[data-row] button[aria-expanded]").first().click();
  },
};

test("pictures", async ({ browser, site }, { project }) => {
  // The Playwright projects share one product, so only the first of them fills it.
  if (!(await isLively(site))) await enliven(site);
  mkdirSync(folder, { recursive: true });
  const signedIn = storageOf(site, await signIn(site.origin, rootAccount));
  const shots = [
    ...listScreens().map(({ path, access }) => ({
      name: path === "/" ? "home" : path.slice(1).replaceAll("/", "-"),
      path,
      storageState: access === "public" ? { cookies: [], origins: [] } : signedIn,
    })),
    ...Object.entries(open).map(([name, path]) => ({ name, path, storageState: signedIn })),
  ];
  for (const { name, path, storageState } of shots) {
    const { viewport, locale, colorScheme, hasTouch, isMobile } = project.use;
    const context = await browser.newContext({
      ...definedOf({ viewport, locale, colorScheme, hasTouch, isMobile }),
      baseURL: site.origin,
      storageState,
      reducedMotion: "reduce",
    });
    const page = await context.newPage();
    await page.goto(path);
    await page.waitForLoadState("networkidle");
    await acts[name]?.(page);
    // Waits until opening parts have reached their place and measured parts have their size.
    await page.waitForTimeout(800);
    await page.screenshot({ path: join(folder, `${name}-${project.name}.png`) });
    await context.close();
  }
});

/** Returns a copy of the options without those that are undefined. */
function definedOf<Value extends object>(
  value: Value,
): { [Name in keyof Value]: NonNullable<Value[Name]> } {
  const defined = Object.entries(value).filter(([, each]) => each !== undefined);
  // Safe cast: the undefined values are removed.
  return Object.fromEntries(defined) as { [Name in keyof Value]: NonNullable<Value[Name]> };
}
