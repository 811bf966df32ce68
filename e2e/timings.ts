/**
 * Measures first visits to the console on a slow line and a slow device: nothing cached, 1.6 Mbit/s
 * with 150 ms for each round trip, a processor four times as slow. Writes the medians of several
 * visits, in milliseconds since the address was opened, to `docs/console-speed.md`.
 */

import { writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Browser, Page } from "@playwright/test";
import { expect, type Site, storageOf, test } from "./support.ts";

const visits = 5;
const callCount = 120;

/** The slow line: bytes per second, and milliseconds of latency, as Chromium expects them. */
const line = { downloadThroughput: 200_000, uploadThroughput: 93_750, latency: 150 };
const slowness = 4;

type Place = {
  readonly path: string;
  /** Which part of the page is waited for, in words; undefined: the page as a whole. */
  readonly part?: string;
  readonly signedIn: boolean;
  /** Selector of an element of that part. */
  readonly content: string;
  /** Target for the content's arrival in milliseconds; null: the time is only reported. */
  readonly target: number | null;
};

/** A page of the console with nothing on it: the frame around every screen. */
const empty: Place = {
  path: "/no-such-screen",
  part: "an empty page",
  signedIn: true,
  content: "main h1",
  target: null,
};

/** How much later than an empty page of the same round the log may have its first row. */
const logTimesMax = 2.2;

const places: readonly Place[] = [
  empty,
  // index.html draws the claim before the console's code has arrived; the calls need that code and
  // an answer of the server.
  { path: "/", part: "its claim", signedIn: false, content: "h1.claim", target: 1_500 },
  {
    path: "/",
    part: "its calls",
    signedIn: false,
    content: "[aria-labelledby=passing] li button",
    target: null,
  },
  { path: "/login", signedIn: false, content: "input[autocomplete=username]", target: 2_500 },
  { path: "/log", signedIn: true, content: "[data-row]", target: 3_500 },
  { path: "/token", signedIn: true, content: "[data-row]", target: null },
  {
    path: "/setting?tab=operation",
    signedIn: true,
    content: "main form, main input",
    target: null,
  },
];

/** Target for the first paint, in milliseconds. */
const paintTarget = 1_200;

type Visit = {
  readonly paint: number;
  readonly content: number;
  readonly bytes: number;
  readonly files: number;
};

test("first visits", async ({ browser, site }) => {
  for (let done = 0; done < callCount; done += 1) await callModel(site);
  const rounds: (readonly Visit[])[] = [];
  for (let done = 0; done < visits; done += 1) {
    const round: Visit[] = [];
    for (const place of places) round.push(await visit(browser, site, place));
    rounds.push(round);
  }
  const rows: string[] = [];
  for (const [at, place] of places.entries()) {
    const taken = rounds.flatMap((round) => round[at] ?? []);
    const times = timesOf(rounds, at);
    if (place.path === "/log") expect.soft(times).toBeLessThanOrEqual(logTimesMax);
    const paint = median(taken.map((one) => one.paint));
    const content = median(taken.map((one) => one.content));
    const { bytes, files } = taken[0] ?? { bytes: 0, files: 0 };
    rows.push(
      `| ${nameOf(place)} | ${Math.round(bytes / 1_000)} kB | ${files} | ${paint} | ` +
        `${content} | ${place.target ?? "–"} | ${times.toFixed(2)} |`,
    );
  }
  const text = report(rows);
  process.stdout.write(`\n${text}\n`);
  writeFileSync(
    join(dirname(dirname(fileURLToPath(import.meta.url))), "docs/console-speed.md"),
    text,
  );
});

/** The median of how much longer a place takes than an empty page in the same round. */
function timesOf(rounds: readonly (readonly Visit[])[], at: number): number {
  const base = places.indexOf(empty);
  const ratios = rounds.map((round) => (round[at]?.content ?? 0) / (round[base]?.content ?? 1));
  return ratios.toSorted((one, other) => one - other)[Math.floor(ratios.length / 2)] ?? Number.NaN;
}

async function visit(browser: Browser, site: Site, place: Place): Promise<Visit> {
  const context = await browser.newContext({
    baseURL: site.origin,
    storageState: place.signedIn ? storageOf(site, site.api.root) : { cookies: [], origins: [] },
  });
  const page = await context.newPage();
  const cdp = await context.newCDPSession(page);
  await cdp.send("Network.enable");
  await cdp.send("Network.emulateNetworkConditions", { offline: false, ...line });
  await cdp.send("Emulation.setCPUThrottlingRate", { rate: slowness });
  const codes = new Set<string>();
  const sizes = new Map<string, number>();
  cdp.on("Network.requestWillBeSent", ({ requestId, request }) => {
    if (/\.(js|css)$/.test(new URL(request.url).pathname)) codes.add(requestId);
  });
  cdp.on("Network.loadingFinished", ({ requestId, encodedDataLength }) => {
    sizes.set(requestId, encodedDataLength);
  });
  await page.goto(place.path, { waitUntil: "commit" });
  await page.locator(place.content).first().waitFor();
  const content = await page.evaluate(() => performance.now());
  // What was asked for until now counts; some of it may still be on its way.
  const files = [...codes];
  await expect.poll(() => files.filter((file) => !sizes.has(file))).toEqual([]);
  const bytes = files.reduce((sum, file) => sum + (sizes.get(file) ?? 0), 0);
  const paint = await firstPaint(page);
  await context.close();
  return { paint, content, bytes, files: files.length };
}

function nameOf({ path, part }: Place): string {
  return part === undefined ? `\`${path}\`` : `\`${path}\`, ${part}`;
}

/** The browser reports a paint some time after it: waits for the report. */
async function firstPaint(page: Page): Promise<number> {
  const report = await page.waitForFunction(
    () => performance.getEntriesByName("first-contentful-paint")[0]?.startTime,
  );
  return (await report.jsonValue()) ?? Number.NaN;
}

/** Makes one call through the gateway, so that the log has a row. */
async function callModel({ origin, key, model }: Site): Promise<void> {
  const answer = await fetch(`${origin}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ model, messages: [{ role: "user", content: "hello" }] }),
  });
  if (!answer.ok) throw new Error(await answer.text());
  await answer.text();
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  return Math.round(sorted[Math.floor(sorted.length / 2)] ?? Number.NaN);
}

function report(rows: readonly string[]): string {
  return `# First visits to the console

Written by \`npm run bench -- --console\` on ${new Date().toISOString().slice(0, 10)}: ${cpus().length} cores, ${cpus()[0]?.model ?? "unknown"}. Nothing is
cached, the line has 1.6 Mbit/s and 150 ms for a round trip, and the processor is made ${slowness} times as slow. Times are
the median of ${visits} visits in milliseconds. Something should be painted within ${paintTarget} ms.
The last column is the median of each round's ratio to an empty page of the console in that round: at most
${logTimesMax} for the first row of the log.
Bytes and files are those that the page had asked for when its content was there. The claim of \`/\` stands in
\`index.html\`; its calls need the console's code and an answer of the server.

| Address | Code and styles, compressed | Files | First paint | Content | Target | × an empty page |
|---|--:|--:|--:|--:|--:|--:|
${rows.join("\n")}
`;
}
