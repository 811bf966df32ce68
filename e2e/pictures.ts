import { mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { enliven } from "./lively.ts";
import { listScreens } from "./screens.ts";
import { rootAccount, signIn } from "./product.ts";
import { storageOf, test } from "./support.ts";

const folder = join(dirname(dirname(fileURLToPath(import.meta.url))), "docs/screens");

/** Besides every screen, by the name of its picture. */
const open: Readonly<Record<string, string>> = {
  "channel-new": "/channel?open=new",
  "token-new": "/token?open=new",
};

let isLively = false;

test("pictures", async ({ browser, site }, { project }) => {
  if (!isLively) await enliven(site);
  isLively = true;
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
    // What opens takes its place; what is measured, its size.
    await page.waitForTimeout(500);
    await page.screenshot({ path: join(folder, `${name}-${project.name}.png`) });
    await context.close();
  }
});

/** Without what the project leaves open. */
function definedOf<Value extends object>(
  value: Value,
): { [Name in keyof Value]: NonNullable<Value[Name]> } {
  const defined = Object.entries(value).filter(([, each]) => each !== undefined);
  // What is left has a value under each name it has.
  return Object.fromEntries(defined) as { [Name in keyof Value]: NonNullable<Value[Name]> };
}
