/** Tests that tables keep all important columns visible, whatever the width of the screen. */

import type { Page } from "@playwright/test";
import { expect, expectNoSidewaysScroll, type Site, test } from "./support.ts";
import { channelsOf } from "./channels.ts";
import { cutWords, fillLists, longModel, smallTargets, tableFaults } from "./room.ts";

const lists = [
  "/log",
  "/newLog",
  "/channel",
  "/token",
  "/user",
  "/newUser",
  "/audit",
  "/pricing",
  "/prices",
];

/** The lists whose rows unfold, and those that unfold only where columns have no room. */
const unfolding = ["/log", "/newLog", "/channel", "/newChannel", "/newToken", "/audit", "/pricing"];
const unfoldingBelow1440 = ["/channel", "/newChannel"];

/** The screen with the list of the user's own changes of balance. */
const ownEntries = "/setting";

const widths = [1024, 1280, 1366, 1440, 1536, 1920];

async function measureLists(page: Page, site: Site): Promise<void> {
  test.slow();
  const empty = await fillLists(site);
  for (const path of [...lists, ownEntries]) {
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.goto(path);
    await expect(page.locator("main tr[data-row]").first()).toBeVisible();
    for (const width of widths) {
      await test.step(`${path} at ${width} px`, async () => {
        await page.setViewportSize({ width, height: 900 });
        await expect.poll(() => tableFaults(page)).toEqual([]);
        await expectNoSidewaysScroll(page);
        expect(await cutWords(page)).toEqual([]);
      });
    }
    await test.step(`${path} at 800 px`, async () => {
      await page.setViewportSize({ width: 800, height: 900 });
      await expectNoSidewaysScroll(page);
      expect(await cutWords(page)).toEqual([]);
      await page.setViewportSize({ width: 1920, height: 900 });
    });
    if (path === "/log") {
      await test.step("on a wide window the details of calls are not cut", async () => {
        expect(await cutDetails(page)).toEqual([]);
      });
    }
  }
  await empty();
}

/** Returns the texts of the log's last column that are cut, in the rows of calls. */
async function cutDetails(page: Page): Promise<string[]> {
  return await page
    .locator("tr[data-row]", { hasText: /gpt-4o-mini|claude-sonnet|qwen3/ })
    .locator("td:last-child *")
    .evaluateAll((parts) =>
      parts
        .filter((part) => part.scrollWidth > part.clientWidth && part.clientWidth > 0)
        .map((part) => part.textContent),
    );
}

test("from 1024 to 1920 px no list loses charge, balance, price or status", async ({
  page,
  site,
}) => {
  await measureLists(page, site);
});

test("in English, too, no list loses charge, balance, price or status @en", async ({
  page,
  site,
}) => {
  await measureLists(page, site);
});

test("where scrollbars take room, unfolding a row leaves every column in its place @scrollbars", async ({
  page,
  site,
}) => {
  test.slow();
  const empty = await fillLists(site);
  for (const path of unfolding) {
    for (const width of [1280, 1366, 1440]) {
      if (width === 1440 && unfoldingBelow1440.includes(path)) continue;
      await test.step(`${path} at ${width} px`, async () => {
        await page.setViewportSize({ width, height: 800 });
        await page.goto(path);
        const unfold = page.locator("tr[data-row] button[aria-expanded]").first();
        await expect(unfold).toBeVisible();
        await expect.poll(() => tableFaults(page)).toEqual([]);
        const before = await columnPlaces(page);
        await unfold.click();
        await expect(page.locator("tr[data-open] + tr")).toBeVisible();
        await expect.poll(() => tableFaults(page)).toEqual([]);
        expect(await columnPlaces(page)).toEqual(before);
        await unfold.click();
        await expect(page.locator("tr[data-open]")).toHaveCount(0);
        expect(await columnPlaces(page)).toEqual(before);
        await expectNoSidewaysScroll(page);
      });
    }
  }
  await empty();
});

/** The columns that the specification names for the list of channels. */
const channelColumns = [
  "id",
  "name",
  "group",
  "type",
  "status",
  "response_time",
  "used_quota",
  "priority",
  "weight",
];

for (const [tag, language] of [
  ["@scrollbars", ""],
  ["@en", "in English "],
] as const) {
  test(`O-102 to O-111: at 1440 px ${language}the list of channels has all its columns, tags or not ${tag}`, async ({
    page,
    site,
  }) => {
    const empty = await fillLists(site);
    const channels = channelsOf(site, "columns");
    const name = "columns, of the EU team, in a second region";
    for (const at of [1, 2]) await channels.create({ name: `${name} ${at}`, tag: "columns" });
    await page.setViewportSize({ width: 1440, height: 900 });
    for (const path of ["/newChannel", "/channel", "/channel?tag_mode=true&expanded=columns"]) {
      await test.step(path, async () => {
        await page.goto(path);
        await expect(page.locator("main tr[data-row]").first()).toBeVisible();
        await expect.poll(() => tableFaults(page)).toEqual([]);
        const shown = await page
          .locator("main thead th[data-column]")
          .evaluateAll((heads) => heads.map((head) => head.getAttribute("data-column")));
        expect(channelColumns.filter((column) => !shown.includes(column))).toEqual([]);
      });
    }
    await empty();
  });
}

test("Enter opens a row of every list, also where its first value filters the list", async ({
  page,
  site,
}) => {
  const empty = await fillLists(site);
  for (const path of ["/log", "/newLog", "/audit"]) {
    await test.step(path, async () => {
      await page.goto(path);
      await expect(page.locator("tr[data-row]").first()).toBeVisible();
      await page.keyboard.press("j");
      await page.keyboard.press("Enter");
      await expect(page.locator("tr[data-open] + tr")).toBeVisible();
      expect(new URL(page.url()).searchParams.get("expanded")).not.toBeNull();
      expect(new URL(page.url()).searchParams.get("model_name")).toBeNull();
      expect(new URL(page.url()).searchParams.get("action")).toBeNull();
    });
  }
  await empty();
});

/** Returns the heads of a table's columns with where each begins and ends. */
async function columnPlaces(page: Page): Promise<string[]> {
  return await page.locator("main thead th[data-column]").evaluateAll((heads) =>
    heads.map((head) => {
      const { left, right } = head.getBoundingClientRect();
      return `${head.textContent}: ${Math.round(left)} to ${Math.round(right)}`;
    }),
  );
}

test("columns without room are named below the list, stand in the unfolded row, and come back", async ({
  page,
  site,
}) => {
  const empty = await fillLists(site);
  await page.setViewportSize({ width: 1024, height: 900 });
  await page.goto(`/log?model_name=${encodeURIComponent(longModel)}`);
  const row = page.locator("tr[data-row]").first();
  await expect(row).toBeVisible();
  await expect(page.getByText(/^另有 \d 列：/)).toContainText("用时");
  await expect(page.getByRole("columnheader", { name: /用时/ })).toHaveCount(0);
  await row.getByRole("button", { name: /的详情$/ }).click();
  await expect(page.locator("tr[data-row] + tr dt", { hasText: "用时" })).toBeVisible();
  // The text is cut in the middle; the tooltip shows all of it.
  await expect(row.locator(`[title*="${longModel}"]`)).toHaveText(longModel);
  await page.setViewportSize({ width: 1920, height: 900 });
  await expect(page.getByRole("columnheader", { name: /用时/ })).toBeVisible();
  await expect(page.getByText(/^另有 \d 列：/)).toHaveCount(0);
  await empty();
});

test("in a low window the entries of the menu scroll, and the balance stays in view", async ({
  page,
}) => {
  await page.setViewportSize({ width: 1280, height: 480 });
  await page.goto("/about");
  const balance = page.getByRole("region", { name: "余额与版本" }).getByRole("link").last();
  await expect(balance).toContainText("$");
  await expect(balance).toBeInViewport({ ratio: 1 });
  const last = page.getByRole("navigation", { name: "菜单" }).getByRole("link").last();
  await expect(last).not.toBeInViewport();
  await last.focus();
  await expect(last).toBeInViewport({ ratio: 1 });
  await expect(balance).toBeInViewport({ ratio: 1 });
});

test("a phone shows rows in two lines, and everything can be pressed with a thumb @phone", async ({
  page,
  site,
}) => {
  test.slow();
  const empty = await fillLists(site);
  for (const path of lists) {
    await test.step(path, async () => {
      await page.goto(path);
      const rows = page.locator("main li[data-row]");
      await expect(rows.first()).toBeVisible();
      const heights = await rows.evaluateAll((all) =>
        all.map((row) => row.getBoundingClientRect().height),
      );
      expect(Math.max(...heights)).toBeLessThanOrEqual(72);
      // The list of prices has a heading of its own and no pages, so these limits do not apply to
      // it.
      if (path !== "/prices") {
        const top = (await rows.first().boundingBox())?.y ?? 780;
        // Above the rows are the top bar, the title, sums or a warning, and one bar of controls.
        expect(top).toBeLessThanOrEqual(240);
        const pager = await page.getByRole("navigation", { name: "分页" }).boundingBox();
        expect(pager?.height).toBe(40);
      }
      expect(await smallTargets(page)).toEqual([]);
      await expectNoSidewaysScroll(page);
    });
  }
  await test.step("a row of the log has model, cost, time, key and tokens", async () => {
    await page.goto(`/log?model_name=${encodeURIComponent(longModel)}`);
    const row = page.locator("li[data-row]").first();
    await expect(row).toContainText(/qwen3.*\$\d.*\d\d:\d\d.*production.*125,120→\d+/);
    await row.getByRole("button", { name: /的详情$/ }).click();
    await expect(row.locator("dt", { hasText: "输出" })).toBeVisible();
    expect(await smallTargets(page)).toEqual([]);
    // The row shows the name cut; the details below it show the whole name.
    const name = row.locator("dd [data-middle]");
    await expect(name).toHaveText(longModel);
    expect(await name.evaluate((part) => part.scrollWidth <= part.clientWidth)).toBe(true);
  });
  await test.step("so can the fields of a form", async () => {
    await page.goto("/channel?open=new");
    await expect(page.getByRole("dialog").getByRole("textbox").first()).toBeVisible();
    expect(await smallTargets(page)).toEqual([]);
  });
  await empty();
});

test("long pages of settings have a list of their sections on a phone @phone", async ({ page }) => {
  for (const tab of ["operation", "system"]) {
    await page.goto(`/setting?tab=${tab}`);
    const sections = page.getByRole("navigation", { name: "本页各节" });
    await expect(sections.getByRole("link").first()).toBeVisible();
    const last = sections.getByRole("link").last();
    await last.click();
    await expect(sections).toBeInViewport();
    const name = (await last.textContent()) ?? "";
    await expect(page.getByRole("heading", { level: 2, name }).first()).toBeInViewport();
  }
});
