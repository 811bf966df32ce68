/** What a picture of a change needs: an installation, a page of it, and what to show of that. */

import { writeFileSync } from "node:fs";
import type { Browser, BrowserContext, Locator, Page } from "@playwright/test";
import { storageOf, type Site } from "#e2e/support.ts";
import { type Role } from "#e2e/products.ts";
import { type Side } from "./sides.ts";

type Clip = {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
};

export type Scene = {
  readonly side: Side;
  readonly site: Site;
  readonly page: Page;
};

/** Brings a page into the state to show. Returns the part to show; nothing: the whole view. */
export type Step = (scene: Scene) => Promise<Locator | Clip | void>;

export const desktop = { width: 1280, height: 800 };
export const phone = { width: 360, height: 740 };

/** The most that a picture may take of the repository. */
const pictureBytesMax = 60_000;

/** Qualities to try, the best first. */
const qualities = [62, 54, 46, 38, 30, 24];

/** Space around a part that is shown, in pixels. */
const margin = 16;

type Look = {
  /** The role as which the page is signed in; null: not signed in. */
  readonly as: Role | null;
  readonly isPhone: boolean;
};

/** Opens a browser context of its own for a picture. */
export async function openContext(
  browser: Browser,
  site: Site,
  { as, isPhone }: Look,
): Promise<BrowserContext> {
  return await browser.newContext({
    baseURL: site.origin,
    locale: "en-US",
    timezoneId: "UTC",
    colorScheme: "light",
    reducedMotion: "reduce",
    permissions: ["clipboard-read", "clipboard-write"],
    storageState: as === null ? { cookies: [], origins: [] } : storageOf(site, site.api[as]),
    ...(isPhone ? { viewport: phone, hasTouch: true, isMobile: true } : { viewport: desktop }),
  });
}

/** Opens an address and waits until it has loaded. */
export async function open(page: Page, path: string): Promise<void> {
  await page.goto(path);
  await page.waitForLoadState("networkidle");
}

/** Writes a picture of the page, or of a part of it, in the best quality that is small enough. */
export async function shoot(page: Page, part: Locator | Clip | void, file: string): Promise<void> {
  // Waits until opening parts have reached their place and measured parts have their size.
  await page.waitForTimeout(700);
  const clip = part === undefined ? undefined : await clipOf(page, part);
  for (const quality of qualities) {
    const picture = await page.screenshot({
      type: "jpeg",
      quality,
      caret: "hide",
      ...(clip === undefined ? {} : { clip }),
    });
    if (picture.length > pictureBytesMax && quality !== qualities.at(-1)) continue;
    writeFileSync(file, picture);
    return;
  }
}

async function clipOf(page: Page, part: Locator | Clip): Promise<Clip> {
  if (!("boundingBox" in part)) return part;
  const box = await part.first().boundingBox();
  const view = page.viewportSize() ?? desktop;
  if (box === null) throw new Error("The part to show is not there.");
  const x = Math.max(0, box.x - margin);
  const y = Math.max(0, box.y - margin);
  return {
    x,
    y,
    width: Math.min(view.width - x, box.width + 2 * margin),
    height: Math.min(view.height - y, box.height + 2 * margin),
  };
}
