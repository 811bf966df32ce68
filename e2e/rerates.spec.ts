/** Root changes a price, tries it, charges past calls again, and the user's statement tells of it. */

import { addSpender } from "./playground-scene.ts";
import {
  expect,
  expectAccessible,
  expectNoSidewaysScroll,
  expectTranslated,
  test,
} from "./support.ts";
import { ask, unique } from "./token-steps.ts";

/** Calls are charged again once they have ended so long ago, in milliseconds. */
const overMs = 22_000;

/** Whether a part has to be scrolled sideways. */
const isWide = (part: Element): boolean => part.scrollWidth > part.clientWidth + 1;

test("root charges past calls again by a saved version, the user's statement shows both charges, and root takes it back @every", async ({
  page,
  site,
  enter,
}) => {
  test.setTimeout(150_000);
  const { root } = site.api;
  const buyer = await addSpender(site, unique("r"), 5_000_000);
  const token = { name: "spends", expired_time: -1, remain_quota: 0, unlimited_quota: true };
  // Safe cast: the contract of `createToken`.
  const { key } = (await buyer.call("POST", "/api/token/", token)) as { readonly key: string };
  expect(await ask(site, `sk-${key}`)).toBe(200);
  // Safe cast: the contract of `listOwnLogs`.
  const { items } = (await buyer.call("GET", "/api/log/self?type=2")) as {
    readonly items: readonly { readonly model_name: string; readonly quota: number }[];
  };
  const model = items[0]?.model_name ?? "";
  const prices = async () =>
    // Safe cast: the contract of `readPrices`.
    (await root.call("GET", "/api/prices/")) as {
      readonly list: { readonly ModelRatio: Readonly<Record<string, string>> };
    };
  const ratio = (await prices()).list.ModelRatio[model] ?? "1";
  const save = async (text: string) =>
    await root.call("PUT", "/api/prices/", { changes: { ModelRatio: { [model]: text } } });
  await save(String(Number(ratio) * 3));
  await page.waitForTimeout(overMs);

  // Safe cast: the contract of `readPrices`.
  const { version } = (await root.call("GET", "/api/prices/")) as { readonly version: number };
  await page.goto(`/prices/rerates?version=${version}`);
  const sheet = page.getByRole("dialog");
  await sheet
    .getByRole("button", { name: /^(试算|Try)$/ })
    .first()
    .click();
  await expect(sheet.getByText(/^(差额|Difference)$/).first()).toBeVisible();
  await expectAccessible(page);
  await expectTranslated(page);
  await expectNoSidewaysScroll(page);
  const figures = sheet.getByRole("region", { name: /^(模型|Models)$/ });
  expect(await figures.evaluate(isWide), "the figures by model need to be scrolled").toBe(false);
  await sheet.getByRole("textbox", { name: /^(原因|Reason)/ }).fill("the price was wrong");
  const submit = sheet.getByRole("button", { name: /^(重新计费|Charge again)$/ });
  await submit.click();
  await expect(
    sheet.getByText(/请填写给用户的通知|write a notice to the users/).first(),
  ).toBeVisible();
  await sheet
    .getByRole("textbox", { name: /^(给用户的通知|Notice to users)/ })
    .fill("Our price was wrong.");
  await submit.click();
  await expect(sheet.getByText(/^(按用户|By user)$|the price was wrong/).first()).toBeVisible();
  await expect(page.getByText(/^(已完成|Done)$/).first()).toBeVisible({ timeout: 30_000 });
  await expectAccessible(page);
  await expectTranslated(page);
  await expectNoSidewaysScroll(page);

  await enter(buyer);
  await page.goto("/topup?tab=records");
  await expect(page.getByText(/重新计费 #\d+：|Re-rate #\d+:/).first()).toBeVisible();
  await expectTranslated(page);

  // Safe cast: the contract of `listRerates`.
  const { items: rerates } = (await root.call("GET", "/api/prices/rerates")) as {
    readonly items: readonly { readonly id: number; readonly lowered: number }[];
  };
  await enter(root);
  await page.goto(`/prices/rerates?undo=${rerates[0]?.id ?? 0}`);
  await sheet.getByRole("textbox", { name: /^(原因|Reason)/ }).fill("back");
  await sheet.getByRole("button", { name: /^(撤销|Take back)$/ }).click();
  await expect(page.getByText(/^(已恢复|Taken back)$/).first()).toBeVisible({ timeout: 30_000 });
  await save(ratio);
});
