import type { Page } from "@playwright/test";
import { listScreens, type ListedScreen } from "./screens.ts";
import { expect, expectFitForAll, test, watchFaults } from "./support.ts";

/** Loads all screens in one page, each by its address. */
async function sweep(page: Page, screens: readonly ListedScreen[]): Promise<void> {
  expect(screens).not.toEqual([]);
  const faults = watchFaults(page);
  for (const { path } of screens) {
    await test.step(`${path} is accessible, fits and is translated`, async () => {
      await page.goto(path);
      await page.waitForLoadState("networkidle");
      await expect(page.getByRole("heading", { level: 1 })).not.toHaveCount(0);
      await expectFitForAll(page);
      expect(faults).toEqual([]);
    });
  }
}

const screens = listScreens();

test.describe("visitors", () => {
  test.use({ as: null });

  test("every public screen is accessible, fits and is translated @every", async ({ page }) => {
    test.slow();
    await sweep(
      page,
      screens.filter(({ access }) => access === "public"),
    );
  });
});

test("every screen behind sign-in is accessible, fits and is translated @every", async ({
  page,
}) => {
  // The time limit is generous, because one page visits all screens, which takes a while.
  test.setTimeout(900_000);
  await sweep(
    page,
    screens.filter(({ access }) => access !== "public"),
  );
});
