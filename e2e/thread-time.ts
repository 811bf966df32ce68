/** Measures what an action on a page costs the page's thread. */

import type { CDPSession, Page } from "@playwright/test";

/**
 * Measures the milliseconds for which the page's thread works while `act` runs, and then until it
 * is idle.
 */
export async function spent(
  cdp: CDPSession,
  page: Page,
  act: () => Promise<unknown>,
): Promise<number> {
  const before = await taskMs(cdp);
  await act();
  await page.evaluate(
    () =>
      new Promise<void>((resolve) =>
        requestAnimationFrame(() => requestIdleCallback(() => resolve(), { timeout: 2_000 })),
      ),
  );
  return (await taskMs(cdp)) - before;
}

async function taskMs(cdp: CDPSession): Promise<number> {
  const { metrics } = await cdp.send("Performance.getMetrics");
  return (metrics.find(({ name }) => name === "TaskDuration")?.value ?? 0) * 1_000;
}

/** Clicks by script, because Playwright's search for the element costs more than the click. */
export async function press(page: Page, selector: string): Promise<void> {
  await page.evaluate((name) => document.querySelector<HTMLElement>(name)?.click(), selector);
}
