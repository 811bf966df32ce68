/**
 * The journey of a customer who checks a bill by the keyboard alone: wallet, statement file, and a
 * page without sign-in.
 */

import { readFileSync, writeFileSync } from "node:fs";
import { pressOn } from "./keyboard.ts";
import { addSpender } from "./playground-scene.ts";
import {
  expect,
  expectAccessible,
  expectNoSidewaysScroll,
  expectTranslated,
  test,
} from "./support.ts";
import { ask, unique } from "./token-steps.ts";

test("a customer saves a statement and checks it without a sign-in, and a changed digit names its line @every", async ({
  page,
  site,
  enter,
  browser,
}, info) => {
  const buyer = await addSpender(site, unique("b"), 5_000_000);
  const token = { name: "spends", expired_time: -1, remain_quota: 0, unlimited_quota: true };
  // Safe cast: the contract of `createToken`.
  const { key } = (await buyer.call("POST", "/api/token/", token)) as { readonly key: string };
  expect(await ask(site, `sk-${key}`)).toBe(200);
  await enter(buyer);
  await page.goto("/topup?tab=records");
  const saved = page.waitForEvent("download");
  await pressOn(page, page.getByRole("button", { name: /^(账单文件|Statement file)$/ }));
  const path = info.outputPath("statement.json");
  await (await saved).saveAs(path);

  const { viewport = null, locale = "zh-CN", colorScheme = "light" } = info.project.use;
  const visitor = await browser.newContext({
    baseURL: site.origin,
    viewport,
    locale,
    colorScheme,
    storageState: { cookies: [], origins: [] },
  });
  const open = await visitor.newPage();
  await open.goto("/verify");
  const sent: string[] = [];
  open.on("request", (request) => sent.push(request.method()));
  const choose = async (file: string): Promise<void> => {
    const chooser = open.waitForEvent("filechooser");
    await pressOn(open, open.getByRole("button", { name: /^(选择文件|Choose a file)$/ }));
    await (await chooser).setFiles(file);
  };
  await choose(path);
  await expect(open.getByText(/^(全部 \d+ 行无误|All \d+ lines are right)$/)).toBeVisible();
  await pressOn(open, open.getByText(/^(凭据|Receipt)$/).first());
  await expect(open.getByText(/^(与费用一致|Matches the cost)$/)).toBeVisible();
  await expectAccessible(open);
  await expectTranslated(open);
  await expectNoSidewaysScroll(open);

  const wrong = info.outputPath("wrong.json");
  const text = readFileSync(path, "utf8");
  const changed = text.replace(/"amount": -(\d+)/, (_, amount: string) => `"amount": -${amount}1`);
  expect(changed).not.toBe(text);
  writeFileSync(wrong, changed);
  await choose(wrong);
  await expect(
    open.getByText(/^(第 \d+ 行：金额与凭据不符|Line \d+: the amount is not what)/),
  ).toBeVisible();
  writeFileSync(wrong, "no statement");
  await choose(wrong);
  await expect(open.getByText(/^(这不是账单文件|This is no statement file)/)).toBeVisible();
  // Nothing of the file was sent.
  expect(sent.filter((method) => method !== "GET")).toEqual([]);
  await visitor.close();
});
