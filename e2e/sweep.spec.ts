import { listScreens } from "./screens.ts";
import {
  expect,
  expectAccessible,
  expectNoSidewaysScroll,
  expectTranslated,
  test,
  watchFaults,
} from "./support.ts";

for (const { path, access } of listScreens()) {
  test.describe(path, () => {
    test.use({ as: access === "public" ? null : "root" });

    test(`${path} can be used by everybody, fits and is translated @every`, async ({ page }) => {
      const faults = watchFaults(page);
      await page.goto(path);
      await page.waitForLoadState("networkidle");
      await expect(page.getByRole("heading", { level: 1 })).not.toHaveCount(0);
      await expectNoSidewaysScroll(page);
      await expectTranslated(page);
      await expectAccessible(page);
      expect(faults).toEqual([]);
    });
  });
}
