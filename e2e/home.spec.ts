import type { Page } from "@playwright/test";
import { expect, expectFitForAll, test, watchFaults } from "./support.ts";

/** The texts, links and places of what the page's first part consists of. */
async function claimOn(page: Page) {
  const parts = page.locator("header:has(.claim) :is(p, h1, a)").filter({ visible: true });
  return await parts.evaluateAll((all: HTMLElement[]) =>
    all.map((part) => {
      const { x, y, width, height } = part.getBoundingClientRect();
      const text = part.innerText || getComputedStyle(part, "::before").content.replaceAll('"', "");
      const href = part.getAttribute("href");
      return { text, href, className: href && part.className, x, y, width, height };
    }),
  );
}

/** Opens the home page while its code does not arrive; the function returned lets it arrive. */
async function openWithoutCode(page: Page): Promise<() => void> {
  let arrive = (): void => {};
  const arrived = new Promise<void>((resolve) => void (arrive = resolve));
  await page.route(/\/assets\/.*\.js$/, async (route) => {
    await arrived;
    await route.continue();
  });
  await page.goto("/", { waitUntil: "commit" });
  return () => arrive();
}

for (const as of [null, "user"] as const) {
  test.describe(`the claim before the code, as ${as ?? "a visitor"}`, () => {
    test.use({ as });

    test(
      "the claim shows before the console's code, and nothing moves when the code arrives",
      { tag: "@every" },
      async ({ page }) => {
        const arrive = await openWithoutCode(page);
        await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
        const before = await claimOn(page);
        expect(before).toHaveLength(5);
        arrive();
        await expect(page.locator("#first-claim")).toHaveCount(0);
        await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
        expect(await claimOn(page)).toEqual(before);
      },
    );
  });
}

test.describe("nobody is signed in", () => {
  test("the claim does not show before a home page that root wrote", async ({ page, site }) => {
    const write = (value: string) =>
      site.api.root.call("PUT", "/api/option/", { key: "HomePageContent", value });
    await write("# Our gateway");
    try {
      const arrive = await openWithoutCode(page);
      await expect(page.locator("#first-claim")).toBeAttached();
      await expect(page.locator("#first-claim")).toBeHidden();
      arrive();
      await expect(page.getByRole("heading", { name: "Our gateway" })).toBeVisible();
    } finally {
      await write("");
    }
  });

  test.use({ as: null });

  test(
    "a visitor of the demo sends a call by keyboard, sees the answer stream and the bill add up",
    { tag: "@every" },
    async ({ page, site }) => {
      const faults = watchFaults(page);
      const sent = page.waitForResponse(
        (answer) => new URL(answer.url()).pathname === "/api/demo/call",
      );
      await page.goto("/");
      await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
      const question = page.locator("form input");
      await question.fill("Which digits does a bill have?");
      await question.press("Enter");
      const answer = await sent;
      const requestId = answer.headers()["x-request-id"] ?? "";
      // The scripted answer says what it is.
      await expect(page.getByText(/^This is a scripted answer/)).toContainText("real channel");

      // The bill of just this call: its items add up to the quota that was charged.
      const bill = page.locator("section[aria-labelledby=bill]");
      await expect(bill).toContainText(requestId);
      const items = await bill.locator("tbody tr td:last-child").allInnerTexts();
      const sum = items.reduce((total, quota) => total + Number(quota.replaceAll(",", "")), 0);
      const rows = (await site.api.root.call("GET", `/api/log/?request_id=${requestId}`)) as {
        items: { quota: number; username: string }[];
      }; // the contract of `listLogs`
      expect(rows.items).toMatchObject([{ quota: sum, username: "demo-visitor" }]);
      const ticket = page.getByRole("button", { pressed: true }).filter({ hasText: "demo-chat" });
      await expect(ticket).toContainText(`$${(sum / 500_000).toFixed(6)}`);

      // Stops the lane, so that it does not move while the page is examined.
      await page.locator("section[aria-labelledby=passing]").getByRole("button").first().click();
      await expectFitForAll(page);
      expect(faults).toEqual([]);
    },
  );

  test("without the demo's calls a visitor sees a recording, and nothing is sent", async ({
    page,
  }) => {
    const asked: string[] = [];
    page.on("request", (request) => void asked.push(new URL(request.url()).pathname));
    await page.route("**/api/status", async (route) => {
      const answer = await route.fetch();
      const body = await answer.json();
      body.data.demo_calls_enabled = false;
      await route.fulfill({ response: answer, json: body });
    });
    await page.goto("/");
    await expect(page.getByText("录像")).toBeVisible();
    await page.getByRole("button", { name: "播放" }).click();
    await expect(page.getByText(/就是这次调用的费用。$/)).toBeVisible();
    await expect(page.getByText("与费用一致")).toBeVisible();
    expect(asked.filter((path) => /demo|\/pg\//.test(path))).toEqual([]);
  });
});

test.describe("a user is signed in", () => {
  test.use({ as: "user" });

  test("a call of one's own is charged to one's own balance, with one's own key in the code", async ({
    page,
    site,
  }) => {
    const { api, accounts } = site;
    const id = api.user.user.id;
    const key = { name: "home", remain_quota: 0, expired_time: -1, unlimited_quota: true };
    await api.user.call("POST", "/api/token/", key);
    await api.root.call("PUT", "/api/user/", { id, quota_delta: 100_000, reason: "home" });
    // Other journeys add channels that lead nowhere, so only the demo's chat model is offered.
    await page.route("**/api/pricing", async (route) => {
      const body = (await (await route.fetch()).json()) as { data: { model_name: string }[] };
      const data = body.data.filter(({ model_name }) => model_name === "demo-chat");
      await route.fulfill({ json: { ...body, data } });
    });
    await page.goto("/");
    await expect(page.getByText(/^费用从余额中扣除，最多 \$0\.\d{6}。$/)).toBeVisible();
    await page.getByRole("button", { name: "使用我的令牌" }).click();
    await expect(page.getByRole("region", { name: "调用代码" })).toContainText(/Bearer sk-\w{48}/);

    const sent = page.waitForResponse((answer) => answer.url().endsWith("/pg/chat/completions"));
    await page.getByRole("button", { name: "发送" }).click();
    const requestId = (await sent).headers()["x-request-id"] ?? "";
    const bill = page.locator("section[aria-labelledby=bill]");
    await expect(bill).toContainText(requestId);
    await expect(bill.getByText("与费用一致")).toBeVisible();
    const rows = (await api.root.call("GET", `/api/log/?request_id=${requestId}`)) as {
      items: { username: string }[];
    }; // the contract of `listLogs`
    expect(rows.items).toMatchObject([{ username: accounts.user.username }]);
    await expect(page.getByLabel("已完成")).toHaveCount(3);
  });
});
