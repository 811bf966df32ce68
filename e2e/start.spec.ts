/**
 * The way from an installed gateway to a friend whose call was charged, by the start page alone.
 * Counts what people have to type or choose on it, and the buttons they have to press.
 */

import { execFileSync } from "node:child_process";
import type { Browser, Locator, Page } from "@playwright/test";
import { type Product, startProduct } from "./product.ts";
import { type Words, words } from "./start-words.ts";
import { expect, expectAccessible, type Site, test, watchFaults } from "./support.ts";

test.use({ as: null });

/** The most values that the whole way may ask for. */
const inputsMax = 12;
/** The most buttons and links that must be pressed between them. */
const pressesMax = 14;

const model = "gpt-4o-mini";
/**
 * Root doubles the input price of a new installation, $0.15 for a million tokens; the output price,
 * $0.60, doubles with it. So a call costs (1000 × $0.30 + 100 × $1.20) / 1,000,000.
 */
const inputPrice = "0.3";
const usage = { promptTokens: 1_000, events: 100 };

const password = "seven brown otters";

type Given = { readonly browser: Browser; readonly page: Page; readonly site: Site };

/** A person's way through the console. */
type Walk = { readonly page: Page; readonly w: Words; readonly counted: Counted };

/** What a person has done so far. */
type Counted = { inputs: number; presses: number };

for (const language of ["zh", "en"] as const) {
  const tag = language === "en" ? " @en" : "";
  test(`from the printed link to a friend's charged call in at most 12 inputs, without a dead end, in ${language}${tag}`, async ({
    browser,
    page,
    site,
  }) => {
    await walk({ browser, page, site }, words[language]);
  });
}

async function walk({ browser, page, site }: Given, w: Words): Promise<void> {
  await fetch(`${site.upstream}/__demo/scripts/${model}`, {
    method: "PUT",
    body: JSON.stringify(usage),
  });
  const product = await startProduct({});
  const faults = watchFaults(page);
  const counted: Counted = { inputs: 0, presses: 0 };
  try {
    await test.step("root sets up, and is led from step to step", async () => {
      await setUp({ page, w, counted }, product);
      await addChannel({ page, w, counted }, site.upstream);
      await setPrice({ page, w, counted });
      await setStartingBalance({ page, w, counted });
    });
    await test.step("a friend signs up, and calls with the first key", async () => {
      await callAsFriend(browser, product, { w, counted });
    });
    await test.step("root sees the steps ticked, without having touched them", async () => {
      await page.goto(`${product.origin}/start`);
      await expect(stepOf(page, w.provider).getByRole("img")).toHaveAccessibleName(w.done);
      await expect(stepOf(page, w.call)).toContainText(w.oneCall);
      await expect(stepOf(page, w.users)).toContainText("$2.00");
      await expect(page.getByText(w.fourDone)).toBeVisible();
      await expectAccessible(page);
    });
    expect(faults).toEqual([]);
    expect(counted.inputs, JSON.stringify(counted)).toBeLessThanOrEqual(inputsMax);
    expect(counted.presses, JSON.stringify(counted)).toBeLessThanOrEqual(pressesMax);
  } finally {
    await product.stop();
  }
}

async function setUp({ page, w, counted }: Walk, product: Product): Promise<void> {
  await page.goto(/http:\S+setup#token=\S+/.exec(product.output())?.[0] ?? "");
  await type(page.getByLabel(w.root), "chief", counted);
  const secrets = page.locator("input[autocomplete=new-password]");
  await type(secrets.first(), password, counted);
  await type(secrets.last(), password, counted);
  await press(page.getByRole("button", { name: w.setUp }), counted);
  await expect(page).toHaveURL(`${product.origin}/start`);
  await expect(stepOf(page, w.provider)).toHaveAttribute("aria-current", "step");
}

async function addChannel({ page, w, counted }: Walk, upstream: string): Promise<void> {
  await press(page.getByRole("link", { name: w.addChannel }), counted);
  const sheet = page.getByRole("dialog", { name: w.addChannelTitle });
  const kind = sheet.getByRole("combobox", { name: w.type });
  await type(kind, "openai", counted);
  await page.keyboard.press("Enter");
  await expect(sheet.getByLabel(w.name).first()).toHaveValue("OpenAI");
  // Only the test needs this one: the demo upstream stands in for the provider.
  await type(sheet.getByLabel(w.baseUrl), upstream, counted);
  await type(sheet.getByLabel(w.key).first(), "sk-upstream", counted);
  await press(sheet.getByRole("button", { name: w.addChannelTitle }), counted);
  await expect(sheet).toHaveCount(0);
}

async function setPrice({ page, w, counted }: Walk): Promise<void> {
  await press(page.getByRole("link", { name: w.start }), counted);
  const seePrices = stepOf(page, w.prices).getByRole("link", { name: w.seePrices });
  // Until the page has read that a channel is there, the same words lead to all models.
  await expect(seePrices).toHaveAttribute("href", /show=offered/);
  await press(seePrices, counted);
  const row = page.getByRole("row", { name: new RegExp(`${model}(?!-)`) });
  await expect(row).toContainText("$0.15");
  await press(row.getByRole("button", { name: w.editPrice }), counted);
  const sheet = page.getByRole("dialog");
  await type(sheet.getByRole("textbox", { name: w.inputPrice }), inputPrice, counted);
  await expect(sheet.getByRole("textbox", { name: w.outputPrice })).toHaveValue("1.2");
  await press(sheet.getByRole("button", { name: w.save }), counted);
  await expect(sheet).toHaveCount(0);
}

async function setStartingBalance({ page, w, counted }: Walk): Promise<void> {
  await press(page.getByRole("link", { name: w.start }), counted);
  await expect(stepOf(page, w.users)).toContainText("$0.00");
  await press(page.getByRole("link", { name: w.setBalance }), counted);
  const amount = page.locator("[data-option=QuotaForNewUser] input");
  await expect(amount).toBeFocused();
  await type(amount, "2", counted);
  const section = page.locator("section#quota");
  await press(section.getByRole("button", { name: w.save }), counted);
  await expect(page.getByText(w.saved).first()).toBeVisible();
}

async function callAsFriend(
  browser: Browser,
  product: Product,
  { w, counted }: Omit<Walk, "page">,
): Promise<void> {
  const context = await browser.newContext({
    locale: w.locale,
    permissions: ["clipboard-read", "clipboard-write"],
  });
  try {
    const page = await context.newPage();
    const faults = watchFaults(page);
    await page.goto(`${product.origin}/register`);
    await type(page.getByLabel(w.username, { exact: false }), "friend", counted);
    const secrets = page.locator("input[autocomplete=new-password]");
    await type(secrets.first(), password, counted);
    await type(secrets.last(), password, counted);
    await press(page.getByRole("button", { name: w.register, exact: true }), counted);
    await expect(page).toHaveURL(`${product.origin}/start`);
    await expect(stepOf(page, w.balance)).toContainText("$2.00");
    await press(page.getByRole("button", { name: w.firstKey }), counted);
    await expect(page.getByText(w.waiting)).toBeVisible();
    await expectAccessible(page);
    const example = stepOf(page, w.call);
    // Only the test needs this one: the demo upstream has a script for this model.
    await type(example.getByRole("combobox", { name: w.model }), model, counted);
    await page.keyboard.press("Enter");
    await press(page.getByRole("button", { name: w.copyExample }), counted);
    const command = await page.evaluate(async () => await navigator.clipboard.readText());
    // Runs the command as if it were pasted into a terminal.
    const output = execFileSync("bash", ["-c", command.replace(/^curl/, "curl -sS")], {
      encoding: "utf8",
    });
    expect(JSON.parse(output)).toMatchObject({ usage: { prompt_tokens: 1_000 } });
    await expect(example).toContainText(w.cost);
    await expect(example.getByRole("img").first()).toHaveAccessibleName(w.done);
    expect(faults).toEqual([]);
  } finally {
    await context.close();
  }
}

const stepOf = (page: Page, name: string): Locator => page.getByRole("listitem", { name });

async function type(field: Locator, text: string, counted: Counted): Promise<void> {
  counted.inputs += 1;
  await field.fill(text);
}

async function press(button: Locator, counted: Counted): Promise<void> {
  counted.presses += 1;
  await button.click();
}
