import { expect, test } from "./support.ts";
import {
  add,
  ask,
  asUserWithQuota,
  clipboard,
  find,
  rowOf,
  sheetOf,
  unique,
} from "./token-steps.ts";

asUserWithQuota();

test("a row's life: its key is copied, it is switched off and on, and deleted", async ({
  page,
  site,
}) => {
  const { name, key } = await add(site, { name: unique("life") });
  await page.goto("/token");
  const row = rowOf(page, name);

  await test.step("O-009, O-313: a row shows its key masked, and copies it whole", async () => {
    await expect(row).not.toContainText(key);
    await page.evaluate(() => navigator.clipboard.writeText(""));
    await row.hover();
    await row.getByRole("button", { name: `复制 ${name} 的密钥` }).click();
    await expect.poll(() => clipboard(page)).toBe(`sk-${key}`);
  });

  await test.step("O-319, O-320, O-323, O-324, O-336: the switch disables and enables at once", async () => {
    const toggle = row.getByRole("switch");
    await toggle.click();
    await expect(row).toContainText("已禁用");
    await expect.poll(() => ask(site, `sk-${key}`)).toBe(401);
    expect(await find(site, name)).toMatchObject([{ status: 2 }]);
    await toggle.click();
    await expect(row).toContainText("已启用");
    await expect.poll(() => ask(site, `sk-${key}`)).toBe(200);
  });

  await test.step("O-338: deleting names the token, and its key is refused at once", async () => {
    await row.click({ button: "right" });
    await page.getByRole("menuitem", { name: "删除" }).click();
    await expect(page.getByText(`删除令牌 ${name}？`)).toBeVisible();
    await page.getByRole("alertdialog").getByRole("button", { name: "删除" }).click();
    await expect(row).toHaveCount(0);
    expect(await ask(site, `sk-${key}`)).toBe(401);
  });
});

test("a key is replaced: both keys work, the page by key tells which of them ends, and the old one is ended", async ({
  page,
  site,
}) => {
  const { name, key } = await add(site, { name: unique("replaced") });
  const row = rowOf(page, name);
  let fresh = "";

  await test.step("the new key is made on the row, and the old one stays a day", async () => {
    await page.goto("/token");
    await row.click({ button: "right" });
    await page.getByRole("menuitem", { name: "更换密钥" }).click();
    const sheet = sheetOf(page);
    await expect(sheet.getByRole("combobox", { name: "旧密钥保留" })).toContainText("1 天");
    await sheet.getByRole("button", { name: "生成新密钥" }).click();
    await expect(sheet.getByText("新密钥已生成，旧密钥可用到")).toBeVisible();
    fresh = await sheet.locator("code").innerText();
    await sheet.getByRole("button", { name: "完成" }).click();
    await expect(row).toContainText("旧密钥仍可用");
    expect(fresh).not.toBe(`sk-${key}`);
    await expect.poll(() => ask(site, fresh)).toBe(200);
    expect(await ask(site, `sk-${key}`)).toBe(200);
  });

  await test.step("the page by key shows usage and calls of either key, and no key in an address", async () => {
    const asked: string[] = [];
    page.on("request", (request) => asked.push(request.url()));
    await page.goto("/query");
    const field = page.getByLabel("令牌密钥", { exact: true });
    await field.fill("sk-nobody-has-this-key");
    await field.press("Enter");
    await expect(page.getByRole("alert").or(page.getByRole("status")).first()).toBeVisible();
    await field.fill(`sk-${key}`);
    await field.press("Enter");
    await expect(page.getByText(/这个密钥已被新密钥取代/)).toBeVisible();
    await expect(page.getByRole("row").filter({ hasText: site.model })).toHaveCount(2);
    await page.getByRole("button", { name: "查询其他密钥" }).click();
    await field.fill(fresh);
    await field.press("Enter");
    await expect(page.getByText(name)).toBeVisible();
    await expect(page.getByText(/这个密钥已被新密钥取代/)).toHaveCount(0);
    expect(asked.filter((url) => url.includes(key) || url.includes(fresh.slice(3)))).toEqual([]);
  });

  await test.step("the old key is ended in the token's sheet", async () => {
    await page.goto("/token");
    await row.getByRole("button", { name: "编辑" }).click();
    await sheetOf(page).getByRole("button", { name: "立即结束" }).click();
    await expect(page.getByText(/旧密钥 .* 已失效/)).toBeVisible();
    await expect.poll(() => ask(site, `sk-${key}`)).toBe(401);
    expect(await ask(site, fresh)).toBe(200);
  });
});

test("O-016, O-261, O-262, O-263: only own tokens are found, by part of a name and by a pasted key; no key stands in the address", async ({
  page,
  site,
}) => {
  const token = await add(site, { name: unique("needle") });
  await add(site, { name: unique("hay") });
  const roots = unique("roots");
  await site.api.root.call("POST", "/api/token/", { name: roots, remain_quota: 1 });
  await page.goto("/token");
  const search = page.getByPlaceholder("搜索名称或密钥");
  await search.fill(token.name.slice(0, -1));
  await expect(page.getByRole("row")).toHaveCount(2);
  await expect(rowOf(page, token.name)).toBeVisible();

  await search.fill(roots);
  await expect(page.getByText("没有", { exact: false }).first()).toBeVisible();
  await expect(rowOf(page, roots)).toHaveCount(0);

  await search.fill(`sk-${token.key}`);
  await search.press("Enter");
  await expect(page).toHaveURL(/keyword=sk-/);
  await expect(page.getByRole("row")).toHaveCount(2);
  await expect(rowOf(page, token.name)).toBeVisible();
  expect(page.url()).not.toContain(token.key);
  await page.reload();
  await expect(page.getByRole("row")).toHaveCount(2);
});

test("O-271, O-316, O-325: model limits apply when they are enabled", async ({ page, site }) => {
  const name = unique("limited");
  const { key } = await add(site, { name });
  expect(await ask(site, `sk-${key}`)).toBe(200);
  await page.goto("/token");
  await rowOf(page, name).getByRole("button", { name: "编辑" }).click();
  const sheet = sheetOf(page);
  await sheet.getByRole("button", { name: "访问限制", expanded: false }).click();
  await sheet.getByRole("switch", { name: "限制可用模型" }).click();
  await sheet.getByRole("combobox", { name: "模型" }).fill("some-other-model");
  await sheet.getByRole("combobox", { name: "模型" }).press("Enter");
  // Escape closes the list only, not the sheet around it.
  await page.keyboard.press("Escape");
  await sheet.getByRole("button", { name: "保存" }).click();
  await expect(sheet).toHaveCount(0);
  // The column of models gives way to more important ones; the unfolded row has it.
  await rowOf(page, name).locator("button[aria-expanded]").first().click();
  await expect(page.getByText("1 个模型").first()).toBeVisible();
  expect(await ask(site, `sk-${key}`)).not.toBe(200);
});

test("O-272, O-273: only listed addresses are allowed", async ({ page, site }) => {
  const name = unique("ips");
  const { id, key } = await add(site, { name });
  await page.goto(`/token?open=${id}`);
  const sheet = sheetOf(page);
  const section = sheet.locator("h3 button", { hasText: "访问限制" });
  await section.click();
  await sheet.getByRole("textbox", { name: "IP 白名单" }).fill("203.0.113.7\n198.51.100.0/24");
  await sheet.getByRole("button", { name: "保存" }).click();
  await expect(sheet).toHaveCount(0);
  expect(await ask(site, `sk-${key}`)).not.toBe(200);

  await page.goto(`/token?open=${id}`);
  // The token has limits, so the section with them is unfolded already.
  await expect(section).toHaveAttribute("aria-expanded", "true");
  await sheet
    .getByRole("textbox", { name: "IP 白名单" })
    .fill("203.0.113.7\n127.0.0.0/8\n::1\n::ffff:127.0.0.1");
  await sheet.getByRole("button", { name: "保存" }).click();
  await expect(sheet).toHaveCount(0);
  expect(await ask(site, `sk-${key}`)).toBe(200);
});

test("O-321, O-322: an expired or spent token says so, and why it cannot be enabled", async ({
  page,
  site,
}) => {
  const over = await add(site, { name: unique("over"), expired_time: 1_700_000_000 });
  const spent = await add(site, { name: unique("spent"), remain_quota: 0 });
  await page.goto("/token");
  await expect(rowOf(page, over.name)).toContainText("已过期");
  await expect(rowOf(page, spent.name)).toContainText("已耗尽");
  await rowOf(page, spent.name).getByRole("switch").click();
  await expect(page.getByText(/令牌可用额度已用尽，无法启用/).first()).toBeVisible();
  await expect(rowOf(page, spent.name).getByRole("switch")).not.toBeChecked();
});

test("O-331, O-334: an edit keeps other values, and a stale record asks first", async ({
  page,
  site,
}) => {
  const { id, name } = await add(site, { name: unique("edit"), allow_ips: "127.0.0.1" });
  await page.goto(`/token?open=${id}`);
  const sheet = sheetOf(page);
  const renamed = unique("renamed");
  await sheet.getByRole("textbox", { name: "名称" }).fill(renamed);
  // While the sheet is open, another call changes the same token.
  await site.api.user.call("PUT", "/api/token/", { id, name, group: "", unlimited_quota: true });
  await sheet.getByRole("button", { name: "保存" }).click();
  await expect(page.getByText("这条记录已在别处被修改")).toBeVisible();
  await page.getByRole("alertdialog").getByRole("button", { name: "取消" }).click();
  expect(await find(site, renamed)).toEqual([]);
  await sheet.getByRole("button", { name: "保存" }).click();
  await page.getByRole("button", { name: "覆盖并保存" }).click();
  await expect(sheet).toHaveCount(0);
  expect(await find(site, renamed)).toMatchObject([
    { id, allow_ips: "127.0.0.1", unlimited_quota: false, remain_quota: 500_000 },
  ]);
});

test("O-301, O-302: one call copies the keys of selected tokens; the other bulk actions likewise", async ({
  page,
  site,
}) => {
  const prefix = unique("bulk");
  const [one, two] = [
    await add(site, { name: `${prefix}-1` }),
    await add(site, { name: `${prefix}-2`, remain_quota: 0 }),
  ];
  const calls: string[] = [];
  page.on("request", (request) => {
    if (request.method() === "POST") calls.push(new URL(request.url()).pathname);
  });
  await page.goto(`/token?keyword=${prefix}`);
  await expect(page.getByRole("row")).toHaveCount(3);
  await page.getByRole("row").first().getByRole("checkbox").check();
  const bar = page.getByRole("region", { name: "批量操作" });
  await bar.getByRole("button", { name: "复制密钥" }).click();
  await expect.poll(() => clipboard(page)).toContain(two.key);
  const lines = (await clipboard(page)).split("\n").toSorted();
  expect(lines).toEqual([
    expect.stringMatching(new RegExp(`^${one.name}\\s+sk-${one.key}$`)),
    expect.stringMatching(new RegExp(`^${two.name}\\s+sk-${two.key}$`)),
  ]);
  expect(calls.filter((path) => path.includes("/key"))).toEqual(["/api/token/batch/keys"]);

  await bar.getByRole("button", { name: "禁用" }).click();
  await expect
    .poll(async () => (await find(site, prefix)).map(({ status }) => status))
    .toEqual([2, 2]);
  // After the bulk action no row is selected.
  await expect(bar).toHaveCount(0);
  const all = page.getByRole("row").first().getByRole("checkbox");
  await all.check();
  // On a phone the bar has several lines; the message stands above all of them.
  await page.setViewportSize({ width: 360, height: 740 });
  await bar.getByRole("button", { name: "复制密钥" }).click();
  const message = page.locator("[data-toast]").last();
  await expect
    .poll(async () => {
      const [above, below] = await Promise.all([message.boundingBox(), bar.boundingBox()]);
      return above !== null && below !== null && above.y + above.height <= below.y;
    })
    .toBe(true);
  await page.setViewportSize({ width: 1280, height: 800 });
  await bar.getByRole("button", { name: "启用" }).click();
  // The used-up token cannot be enabled: the message says so, and only that token stays selected.
  await expect(page.getByText(/令牌可用额度已用尽/).first()).toBeVisible();
  const enabled = (await find(site, prefix)).filter(({ status }) => status === 1);
  expect(enabled.map(({ name }) => name)).toEqual([one.name]);
  await expect(rowOf(page, one.name).getByRole("checkbox")).not.toBeChecked();
  await expect(rowOf(page, two.name).getByRole("checkbox")).toBeChecked();

  await all.check();
  await bar.getByRole("button", { name: "删除" }).click();
  const question = page.getByRole("alertdialog");
  await expect(question.getByRole("button", { name: "删除" })).toBeDisabled();
  await question.getByRole("textbox").fill("2");
  await question.getByRole("button", { name: "删除" }).click();
  await expect.poll(() => find(site, prefix)).toEqual([]);
});

test("a configured chat client opens with the token's key", async ({ page, context, site }) => {
  const chats = [{ "Test Chat": "https://chat.example/?key={key}&url={address}" }];
  await page.route("**/api/status", async (route) => {
    const response = await route.fetch();
    const body = (await response.json()) as { data: object };
    await route.fulfill({ response, json: { ...body, data: { ...body.data, chats } } });
  });
  await context.route("https://chat.example/**", (route) => route.fulfill({ body: "chat" }));
  const { name, key } = await add(site, { name: unique("chat") });
  await page.goto("/token");
  await rowOf(page, name).click({ button: "right" });
  const opened = context.waitForEvent("page");
  await page.getByRole("menuitem", { name: "在 Test Chat 中使用" }).click();
  const tab = await opened;
  await tab.waitForURL(/chat\.example/);
  const url = new URL(tab.url());
  expect(url.searchParams.get("key")).toBe(`sk-${key}`);
  expect(url.searchParams.get("url")).toBe(site.origin);
  expect(page.url()).not.toContain(key);
});
