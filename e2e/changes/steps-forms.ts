/** Steps to the pictures of forms. */

import type { Locator, Page } from "@playwright/test";
import { open, type Scene, type Step } from "./scene.ts";
import { knownKey, openListingUpstream } from "./upstream.ts";

/** Milliseconds that a slow answer takes. */
const slowMs = 800;

const sheetOf = (page: Page): Locator => page.locator("[role=dialog]:has(header)");

/** Sends a form a second time before the first answer has come. */
export const pressTwice: Step = async ({ page }) => {
  await page.route("**/api/token/", async (route) => {
    if (route.request().method() === "POST") await page.waitForTimeout(slowMs);
    await route.continue();
  });
  await open(page, "/token?open=new");
  const sheet = sheetOf(page);
  await sheet.getByRole("textbox", { name: "Name" }).fill("laptop");
  for (let times = 0; times < 3; times += 1) await page.keyboard.press("Control+Enter");
  await page.getByText(/(Token|API key) created/).waitFor();
};

export const sendEmptyForm: Step = async ({ page }) => {
  await open(page, "/channel?open=new");
  await sheetOf(page).getByRole("button", { name: "Add channel" }).click();
};

/** Opens the form of a new channel to an upstream that lists many models. */
async function openChannel({ page }: Scene, key: string, act: () => Promise<void>): Promise<void> {
  const upstream = await openListingUpstream();
  await open(page, "/channel?open=new");
  const sheet = sheetOf(page);
  await sheet.getByRole("combobox", { name: /^Type/ }).fill("openai");
  await page.keyboard.press("Enter");
  await sheet.getByRole("textbox", { name: "Name", exact: true }).fill("OpenAI");
  await sheet.getByRole("textbox", { name: "Base URL" }).fill(upstream.origin);
  await sheet.getByRole("textbox", { name: /^Key/ }).fill(key);
  await sheet.getByRole("button", { name: "Fetch models from upstream" }).click();
  await act();
  upstream.stop();
}

export const fetchWithWrongKey: Step = async (scene) => {
  await openChannel(scene, "sk-wrong", async () => {
    await scene.page
      .getByText(/http-401|Incorrect API key/)
      .first()
      .waitFor();
  });
};

export const fetchModels: Step = async (scene) => {
  await openChannel(scene, knownKey, async () => {
    await scene.page
      .getByText(/mistral-large-1$/)
      .first()
      .waitFor();
  });
};

export const channelTypes: Step = async ({ page }) => {
  await open(page, "/channel?open=new");
  await sheetOf(page).getByRole("combobox", { name: /^Type/ }).click();
};

/** Closes a form that holds a text. */
export const leaveForm: Step = async ({ page }) => {
  await open(page, "/token?open=new");
  await sheetOf(page).getByRole("textbox", { name: "Name" }).fill("laptop");
  await page.keyboard.press("Escape");
  const question = page.getByRole("alertdialog");
  await question.waitFor();
  return question;
};

/** The number of models without a price that the price editor is shown with. */
const unpricedCount = 200;

async function addUnpriced({ site }: Scene): Promise<void> {
  const models = Array.from({ length: unpricedCount }, (_, index) => `vendor/model-${index + 1}`);
  await site.api.root.call("POST", "/api/channel/", {
    type: 1,
    name: "Aggregator",
    key: "sk-upstream",
    base_url: site.upstream,
    models: models.join(","),
    group: "default",
  });
}

export const priceEditorBefore: Step = async (scene) => {
  const { page } = scene;
  await addUnpriced(scene);
  await open(page, "/setting?tab=operation");
  await page
    .getByRole("button", { name: /^Set the price of/ })
    .first()
    .click();
};

export const priceEditor: Step = async (scene) => {
  const { page } = scene;
  await addUnpriced(scene);
  await open(page, "/prices?show=unpriced");
  await page.getByRole("button", { name: /^Edit/ }).first().click();
};

/** Opens a token whose name is written from right to left, and ends in a sign without direction. */
export const arabicName: Step = async ({ page, site }) => {
  const token = { name: "مفتاح laptop (2)!", unlimited_quota: true, expired_time: -1 };
  await site.api.root.call("POST", "/api/token/", token);
  await open(page, "/token");
  return page.getByRole("row").filter({ hasText: "مفتاح" });
};
