/** Uses a page by the keyboard alone: what is pressed or written on is reached from key to key. */

import type { Locator, Page } from "@playwright/test";

/** No page has so many stops. */
const stopsMax = 400;

/** Goes on from stop to stop until a part has the focus. @throws Error when it is never reached. */
async function reach(page: Page, part: Locator, key: "ArrowDown" | "Tab"): Promise<void> {
  await part.waitFor();
  for (let stop = 0; stop < stopsMax; stop += 1) {
    if (await part.evaluate((element) => element === document.activeElement)) return;
    await page.keyboard.press(key);
  }
  throw new Error(`${String(part)} is not reached by the key ${key}`);
}

/** Reaches a part by Tab and presses a key on it. */
export async function pressOn(
  page: Page,
  part: Locator,
  key: "Enter" | "Space" = "Enter",
): Promise<void> {
  await reach(page, part, "Tab");
  await page.keyboard.press(key);
}

/** Reaches a field by Tab and writes a text in place of its own. */
export async function writeInto(page: Page, field: Locator, text: string): Promise<void> {
  await reach(page, field, "Tab");
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.type(text);
}

/** Chooses an entry of the menu that is open. */
export async function chooseEntry(page: Page, entry: Locator): Promise<void> {
  await reach(page, entry, "ArrowDown");
  await page.keyboard.press("Enter");
}
