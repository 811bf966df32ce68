/** Tests that the console keeps to the content security policy that its own pages are sent with. */

import { expect, type Page } from "@playwright/test";
import { answer, ask, openAs, preparePlayground } from "./playground-scene.ts";
import { listScreens, type ListedScreen } from "./screens.ts";
import { test } from "./support.ts";

/** A picture of one pixel. */
const dot = Buffer.from("R0lGODlhAQABAAAAACwAAAAAAQABAAA=", "base64");

/** Loads each screen and names what the browser blocked on it. */
async function violationsOf(page: Page, screens: readonly ListedScreen[]): Promise<string[]> {
  const found: string[] = [];
  await page.exposeFunction("tellViolation", (what: string) =>
    found.push(`${page.url()}: ${what}`),
  );
  await page.addInitScript(() => {
    document.addEventListener("securitypolicyviolation", (event) => {
      // Safe cast: `exposeFunction` above defined this function.
      const { tellViolation } = globalThis as unknown as { tellViolation(what: string): void };
      tellViolation(`${event.violatedDirective} ${event.blockedURI} ${event.sourceFile}`);
    });
  });
  expect(screens).not.toEqual([]);
  for (const { path } of screens) {
    await page.goto(path);
    await page.waitForLoadState("networkidle");
    await expect(page.getByRole("heading", { level: 1 })).not.toHaveCount(0);
  }
  return found;
}

test.describe("visitors", () => {
  test.use({ as: null });

  test("P-C3: no public page violates the console's own policy", async ({ page }) => {
    const screens = listScreens().filter(({ access }) => access === "public");
    expect(await violationsOf(page, screens)).toEqual([]);
  });
});

test("P-C3: no page behind sign-in violates the console's own policy", async ({ page }) => {
  test.slow();
  const screens = listScreens().filter(({ access }) => access !== "public");
  expect(await violationsOf(page, screens)).toEqual([]);
});

test("P-C1: a picture in an answer is asked for once the reader wants it", async ({
  enter,
  page,
  site,
}) => {
  const asked: string[] = [];
  await page.route("https://pictures.example/**", (route) => {
    asked.push(route.request().url());
    return route.fulfill({ contentType: "image/gif", body: dot });
  });
  await openAs(page, enter, await preparePlayground(site), "/playground?model=play-picture");
  await ask(page, "画一只猫");
  const reply = answer(page, "play-picture");
  const load = reply.getByRole("button", { name: "pictures.example" });
  await expect(load).toBeVisible();
  await expect(reply).toHaveAttribute("aria-busy", "false");
  expect(asked).toEqual([]);
  await load.press("Enter");
  const picture = reply.frameLocator("iframe[title=cat]").getByRole("img", { name: "cat" });
  await expect(picture).toHaveJSProperty("naturalWidth", 1);
  expect(asked).toEqual(["https://pictures.example/p.gif?q=secret"]);
});
