/** Figures of speed and memory. Times are of the page's thread, the lowest of some rounds. */

import type { Page } from "@playwright/test";
import { press, spent } from "#e2e/thread-time.ts";
import { open, type Scene } from "./scene.ts";

type Told = Promise<Readonly<Record<string, string>>>;

/** A slow line: bytes per second, and milliseconds of latency, as Chromium expects them. */
const line = { downloadThroughput: 200_000, uploadThroughput: 93_750, latency: 150 };

/** What is there when the content of an address has arrived. */
const visits = [
  { path: "/login", content: "input[autocomplete=username]" },
  { path: "/log", content: "[data-row]" },
];

/** Code and styles that addresses load on a slow line until their content is there. */
export async function firstVisits({ page, site }: Scene): Told {
  const context = page.context();
  const { cookies, origins } = await context.storageState();
  const told: Record<string, string> = {};
  for (const { path, content } of visits) {
    const storageState = path === "/login" ? { cookies: [], origins: [] } : { cookies, origins };
    const visitor = await context.browser()?.newContext({ storageState });
    const visit = await visitor?.newPage();
    if (visit === undefined) throw new Error("The browser is gone.");
    const cdp = await visit.context().newCDPSession(visit);
    await cdp.send("Network.enable");
    await cdp.send("Network.emulateNetworkConditions", { offline: false, ...line });
    const codes = new Set<string>();
    let files = 0;
    let bytes = 0;
    cdp.on("Network.responseReceived", ({ requestId, response }) => {
      if (/\.(js|css)$/.test(new URL(response.url).pathname)) codes.add(requestId);
    });
    cdp.on("Network.loadingFinished", ({ requestId, encodedDataLength }) => {
      if (!codes.has(requestId)) return;
      files += 1;
      bytes += encodedDataLength;
    });
    await visit.goto(site.origin + path, { waitUntil: "commit" });
    await visit.locator(content).first().waitFor();
    told[`Code and styles until the content of \`${path}\``] =
      `${Math.round(bytes / 1_000)} kB in ${files} files`;
    await visitor?.close();
  }
  return told;
}

const rounds = 3;

export async function longLists({ page }: Scene): Told {
  const cdp = await page.context().newCDPSession(page);
  await cdp.send("Performance.enable", { timeDomain: "threadTicks" });
  const nextPage: number[] = [];
  const theme: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    await open(page, "/log?page=1&size=100");
    const first = await page.locator("[data-row]").first().getAttribute("data-row");
    nextPage.push(
      await spent(cdp, page, async () => {
        await press(page, "[aria-label='Next page']");
        await page.waitForFunction(
          (before) => document.querySelector("[data-row]")?.getAttribute("data-row") !== before,
          first,
        );
      }),
    );
    for (const colorScheme of ["dark", "light"] as const) {
      theme.push(await spent(cdp, page, () => page.emulateMedia({ colorScheme })));
    }
  }
  return {
    "Next page of 100 rows of the log": `${Math.round(Math.min(...nextPage))} ms`,
    "Dark to light and back, with 100 rows": `${Math.round(Math.min(...theme))} ms`,
  };
}

const restMs = 40_000;

/** The pages of a round, by their addresses in the menu. */
const roundTrip = ["/token", "/log", "/channel", "/user", "/playground"];

export async function memory({ page }: Scene): Told {
  await open(page, "/token");
  await goRound(page, 8);
  const early = await heapMegabytes(page);
  await goRound(page, 16);
  // Waits a fixed time, because nothing tells when the console has forgotten what it read.
  await page.waitForTimeout(restMs);
  const late = await heapMegabytes(page);
  return {
    "Heap after 40 page changes": `${early.toFixed(1)} MB`,
    "Heap after 120 page changes and 40 seconds of rest": `${late.toFixed(1)} MB`,
  };
}

async function goRound(page: Page, times: number): Promise<void> {
  for (let time = 0; time < times; time += 1) {
    for (const path of roundTrip) {
      await page.locator(`nav a[href="${path}"]`).first().click();
      await page.waitForLoadState("networkidle");
    }
  }
}

async function heapMegabytes(page: Page): Promise<number> {
  const cdp = await page.context().newCDPSession(page);
  await cdp.send("HeapProfiler.collectGarbage");
  const { usedSize } = await cdp.send("Runtime.getHeapUsage");
  await cdp.detach();
  return usedSize / 1_000_000;
}
