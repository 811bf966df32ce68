/** Tests that nothing moves on a page while its parts arrive one after the other. */

import type { Page } from "@playwright/test";
import { expect, test } from "./support.ts";

/** Paths, and the call of each whose answer arrives last. */
const late = [
  ["/import", "**/api/import/"],
  ["/prices", "**/api/channel/models_enabled*"],
  ["/margins", "**/api/margins/*"],
  ["/topup", "**/api/user/topup/info*"],
  ["/channel", "**/api/channel/?*"],
] as const;

/** How long the answer is held back: until everything else is there. */
const lateMs = 1_500;

/** What the browser counts as seen: below it is a pixel here and there. */
const shiftMax = 0.02;

test("prices, margins, the wallet and channels do not move when their last answer arrives @phone", async ({
  page,
}) => {
  await measure(page);
});

test("nor do they in a wide window @en", async ({ page }) => {
  await page.setViewportSize({ width: 1440, height: 900 });
  await measure(page);
});

async function measure(page: Page): Promise<void> {
  for (const [path, call] of late) {
    await test.step(path, async () => {
      await page.route(call, async (route) => {
        await new Promise((resolve) => setTimeout(resolve, lateMs));
        await route.continue();
      });
      const answered = page.waitForResponse(call);
      await page.goto(path);
      await answered;
      await page.waitForLoadState("networkidle");
      expect(await shiftOf(page)).toBeLessThan(shiftMax);
      await page.unroute(call);
    });
  }
}

/** Adds up how far parts of the page have moved since it was opened, as the browser judges it. */
async function shiftOf(page: Page): Promise<number> {
  return await page.evaluate(
    async () =>
      await new Promise<number>((done) => {
        let sum = 0;
        new PerformanceObserver((list) => {
          for (const entry of list.getEntries()) sum += Number(Reflect.get(entry, "value"));
        }).observe({ type: "layout-shift", buffered: true });
        // Nothing is told where nothing has moved; what was told is there after a moment.
        setTimeout(() => done(sum), 300);
      }),
  );
}
