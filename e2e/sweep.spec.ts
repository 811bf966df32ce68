import type { Page } from "@playwright/test";
import { listScreens, type ListedScreen } from "./screens.ts";
import { expect, expectFitForAll, test, waitUntilLoaded, watchFaults } from "./support.ts";

/** Collects what the browser blocks by the policy that the console's pages are sent with. */
async function watchViolations(page: Page): Promise<readonly string[]> {
  const found: string[] = [];
  await page.exposeFunction("tellViolation", (what: string) => found.push(what));
  await page.addInitScript(() => {
    document.addEventListener("securitypolicyviolation", (event) => {
      // Safe cast: `exposeFunction` above defined this function.
      const { tellViolation } = globalThis as unknown as { tellViolation(what: string): void };
      tellViolation(`${event.violatedDirective} ${event.blockedURI} ${event.sourceFile}`);
    });
  });
  return found;
}

/** Loads all screens in one page, each by its address. */
async function sweep(page: Page, screens: readonly ListedScreen[]): Promise<void> {
  expect(screens).not.toEqual([]);
  const faults = watchFaults(page);
  const violations = await watchViolations(page);
  for (const { path } of screens) {
    await test.step(`${path} is accessible, fits, is translated and keeps to its policy`, async () => {
      await page.goto(path);
      await waitUntilLoaded(page);
      await expect(page.getByRole("heading", { level: 1 })).not.toHaveCount(0);
      await expectFitForAll(page);
      expect(faults).toEqual([]);
      expect(violations).toEqual([]);
    });
  }
}

const screens = listScreens();

test.describe("visitors", () => {
  test.use({ as: null });

  test("P-C3: every public screen is accessible, fits, is translated and keeps to its policy @every", async ({
    page,
  }) => {
    test.slow();
    await sweep(
      page,
      screens.filter(({ access }) => access === "public"),
    );
  });
});

test("P-C3: every screen behind sign-in is accessible, fits, is translated and keeps to its policy @every", async ({
  page,
}) => {
  // The time limit is generous, because one page visits all screens, which takes a while.
  test.setTimeout(900_000);
  await sweep(
    page,
    screens.filter(({ access }) => access !== "public"),
  );
});
