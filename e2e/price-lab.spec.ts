/**
 * A change of prices from a published list to the statement of a user: root syncs, tries, saves, and
 * charges past calls again, by the keyboard alone.
 */

import type { Page } from "@playwright/test";
import { chooseEntry, pressOn, writeInto } from "./keyboard.ts";
import { addSpender } from "./playground-scene.ts";
import {
  expect,
  expectAccessible,
  expectNoSidewaysScroll,
  expectTranslated,
  type Site,
  test,
} from "./support.ts";
import { ask, unique } from "./token-steps.ts";

/** Calls are charged again once they have ended so long ago, in milliseconds. */
const overMs = 22_000;

/** Adds a channel with a model of its own at two dollars, and a user who has called it. */
async function addCalls(site: Site, model: string) {
  const { root } = site.api;
  await root.call("POST", "/api/channel/", {
    type: 1,
    name: model,
    key: "sk-lab",
    base_url: site.upstream,
    models: model,
    model_mapping: JSON.stringify({ [model]: site.model }),
    group: "default",
  });
  const prices = { tokens: { input: "2", output: "8" } };
  await root.call("PUT", "/api/prices/", { books: [{ model, prices }] });
  const buyer = await addSpender(site, unique("l"), 5_000_000);
  const token = { name: "spends", expired_time: -1, remain_quota: 0, unlimited_quota: true };
  // Safe cast: the contract of `createToken`.
  const { key } = (await buyer.call("POST", "/api/token/", token)) as { readonly key: string };
  for (let call = 0; call < 3; call += 1) expect(await ask(site, `sk-${key}`, model)).toBe(200);
  return buyer;
}

/** Does what a row offers: by a button of its own, or in its menu. */
async function choose(page: Page, name: string, what: RegExp): Promise<void> {
  const more = new RegExp(`^(?:${name} 的更多操作|More actions for ${name})$`);
  const button = page
    .getByRole("row", { name: new RegExp(name) })
    .getByRole("button", { name: what });
  await page.getByRole("button", { name: more }).or(button).first().waitFor();
  if ((await button.count()) > 0) {
    await pressOn(page, button);
    return;
  }
  await pressOn(page, page.getByRole("button", { name: more }));
  await chooseEntry(page, page.getByRole("menuitem", { name: what }));
}

async function expectFine(page: Page): Promise<void> {
  await expectAccessible(page);
  await expectTranslated(page);
  await expectNoSidewaysScroll(page);
}

test("a published list is synced, tried and saved, past calls are charged again, and the user's statement says so, by the keyboard alone @every", async ({
  page,
  site,
  enter,
}) => {
  test.setTimeout(200_000);
  const { root } = site.api;
  const model = `gpt-${unique("lab")}`;
  const name = unique("list");
  const buyer = await addCalls(site, model);
  const sheet = page.getByRole("dialog");

  await page.goto("/prices/sources");
  await pressOn(page, page.getByRole("button", { name: /^(添加来源|Add a source)$/ }).first());
  await writeInto(page, sheet.getByRole("textbox", { name: /^(名称|Name)$/ }), name);
  await pressOn(
    page,
    sheet.getByRole("switch", {
      name: /^(不改动手动设置的价格|Keep prices that were set manually)$/,
    }),
    "Space",
  );
  await pressOn(page, sheet.getByRole("button", { name: /^(保存|Save)$/ }));
  await expect(sheet).toHaveCount(0);
  await choose(page, name, /粘贴列表|Paste a list/);
  const cost = { input: 3, output: 8 };
  const list = { openai: { models: { [model]: { id: model, cost } } } };
  const text = sheet.getByRole("textbox", { name: /^(列表|List)$/ });
  await writeInto(page, text, JSON.stringify(list));
  await pressOn(page, sheet.getByRole("button", { name: /^(比较|Compare)$/ }));

  // It rises by half, which the rule does not let through by itself.
  const line = sheet.getByRole("checkbox", { name: new RegExp(`^${model} `) });
  await expect(line).not.toBeChecked();
  await pressOn(page, line, "Space");
  await expect(line).toBeChecked();
  await page.waitForTimeout(overMs);
  await pressOn(page, sheet.getByRole("button", { name: /^(试算|Try it)$/ }));
  const tried = sheet.getByRole("region", {
    name: /^(用过去的调用试算价格|Prices on past calls)$/,
  });
  await pressOn(page, tried.getByRole("button", { name: /^(试算|Try)$/ }));
  await expect(tried.getByText(/^(差额|Difference)$/).first()).toBeVisible();
  await expectFine(page);
  await pressOn(page, sheet.getByRole("button", { name: /^(接受 1 项|Accept 1)$/ }));
  await expect(sheet).toHaveCount(0);

  // Safe cast: the contract of `readPrices`.
  const { version } = (await root.call("GET", "/api/prices/")) as { readonly version: number };
  await page.goto("/prices/versions");
  await choose(page, `(?:版本|Version) ${version}`, /重新计费历史调用|Charge past calls again/);
  await pressOn(page, sheet.getByRole("button", { name: /^(试算|Try)$/ }).first());
  await expect(sheet.getByText(/^(差额|Difference)$/).first()).toBeVisible();
  await expectFine(page);
  const reason = sheet.getByRole("textbox", { name: /^(原因|Reason)/ });
  await writeInto(page, reason, "the list was right");
  const notice = sheet.getByRole("textbox", { name: /^(给用户的通知|Notice to users)/ });
  await writeInto(page, notice, "Dearer.");
  await pressOn(page, sheet.getByRole("button", { name: /^(重新计费|Charge again)$/ }));
  await expect(page.getByText(/^(已完成|Done)$/).first()).toBeVisible({ timeout: 60_000 });
  await expectFine(page);

  await enter(buyer);
  await page.goto("/topup?tab=records");
  await expect(page.getByText(/重新计费 #\d+：|Re-rate #\d+:/).first()).toBeVisible();
  await expectFine(page);

  // Safe cast: the contract of `listRerates`.
  const { items } = (await root.call("GET", "/api/prices/rerates")) as {
    readonly items: readonly { readonly id: number }[];
  };
  const wish = { reason: "back", notice: "back" };
  await root.call("POST", `/api/prices/rerates/${items[0]?.id ?? 0}/undo`, wish);
});

test("what the trial of a model's price gives comes into view", async ({ page, site }) => {
  expect(await ask(site, site.key)).toBe(200);
  await page.goto(`/prices?open=model-${encodeURIComponent(site.model)}`);
  const sheet = page.getByRole("dialog");
  await sheet.getByRole("textbox", { name: "输入价格" }).fill("9");
  await sheet.getByRole("button", { name: "试算" }).click();
  const tried = sheet.getByRole("region", { name: "用过去的调用试算价格" });
  await tried.getByRole("button", { name: "试算" }).click();
  await expect(tried.getByText("差额", { exact: true }).first()).toBeInViewport();
});
