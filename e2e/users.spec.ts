import type { Locator, Page } from "@playwright/test";
import { type Api, signIn } from "./product.ts";
import { addUser, expect, expectFitForAll, type Site, test, watchFaults } from "./support.ts";

type UserRow = Readonly<Record<string, unknown>> & { readonly id: number; readonly quota: number };

let made = 0;

/** Makes a name that no other test of this worker uses, of twelve characters at most. */
const unique = (name: string) => `${name}${Date.now().toString(36).slice(-5)}${(made += 1)}`;

const rowOf = (page: Page, name: string): Locator =>
  page.getByRole("row").filter({ has: page.getByText(name, { exact: true }) });

/** Finds the open sheet by its header. A toast has the same ARIA role, but no header. */
const sheetOf = (page: Page): Locator => page.locator("[role=dialog]:has(header)");

async function read(api: Api, name: string): Promise<UserRow> {
  // Safe cast: the contract of `searchUsers`.
  const page = (await api.call("GET", `/api/user/search?keyword=${name}`)) as {
    readonly items: readonly UserRow[];
  };
  const [row] = page.items;
  if (row === undefined) throw new Error(`no user ${name}`);
  return row;
}

async function add(site: Site, name: string): Promise<UserRow> {
  await addUser(site.api.root, name);
  return await read(site.api.root, name);
}

/** Chooses an item of a row's menu. */
async function choose(page: Page, name: string, action: string): Promise<void> {
  await page.getByRole("button", { name: `${name} 的更多操作` }).click();
  await page.getByRole("menuitem", { name: action }).click();
}

test("A-229, A-244: a user is added by the form, not without name and password", async ({
  page,
  site,
}) => {
  const sent: string[] = [];
  page.on("request", (request) => {
    if (request.method() === "POST" && request.url().endsWith("/api/user/")) sent.push("create");
  });
  const name = unique("new");
  await page.goto("/user?open=new");
  const sheet = sheetOf(page);
  await sheet.getByRole("button", { name: "创建", exact: true }).click();
  await expect(sheet.getByText("用户名和密码不能为空！").first()).toBeVisible();
  expect(sent).toEqual([]);
  await sheet.getByRole("textbox", { name: "用户名" }).fill(name);
  await sheet.locator("input[autocomplete=new-password]").fill("correct horse");
  await sheet.getByRole("button", { name: "创建", exact: true }).click();
  await expect(rowOf(page, name)).toContainText("已激活");
  await signIn(site.origin, { username: name, password: "correct horse" });
});

test("A-226 to A-228: keyword, group and page stand in the address and filter the list", async ({
  page,
  site,
}) => {
  const name = unique("find");
  const { id } = await add(site, name);
  await site.api.root.call("PUT", "/api/user/", { id, group: "vip" });
  await page.goto("/user?size=100");
  await page.getByPlaceholder("搜索 ID、名称或邮箱").fill(name);
  await expect(page.locator("[data-row]")).toHaveCount(1);
  await expect(page).toHaveURL(new RegExp(`keyword=${name}`));
  await page.goto(`/user?group=vip`);
  await expect(rowOf(page, name)).toBeVisible();
  await expect(rowOf(page, "root")).toHaveCount(0);
  for (let at = 0; at < 11; at += 1) await addUser(site.api.root, unique("pg"));
  await page.goto("/user?size=10");
  await page.getByRole("button", { name: "第 2 页" }).click();
  await expect(page).toHaveURL(/page=2/);
  await expect(page.locator("[data-row]").first()).toBeVisible();
});

test("A-230 to A-235, A-246, A-247: the edit saves names, password, group and the added quota", async ({
  page,
  site,
}) => {
  const name = unique("edit");
  const { id, quota } = await add(site, name);
  const fields = { github_id: "", display_name: "新名字", group: "vip" };
  await page.goto(`/user?keyword=${name}&open=${id}`);
  const sheet = sheetOf(page);
  const amount = sheet.getByRole("textbox", { name: "调整额度" });
  await expect(sheet.getByText("GitHub")).toBeVisible();
  await expect(sheet.getByText("Telegram")).toBeVisible();

  await amount.fill("-999999");
  await sheet.getByRole("button", { name: "保存", exact: true }).click();
  await expect(sheet.getByText("剩余额度不能小于0")).toBeVisible();
  expect((await read(site.api.root, name)).quota).toBe(quota);

  await amount.fill("2");
  await sheet.getByRole("textbox", { name: "调整原因" }).fill("线下充值");
  await sheet.getByRole("textbox", { name: "显示名称" }).fill(fields.display_name);
  await sheet.locator("input[autocomplete=new-password]").fill("another horse");
  await sheet.getByRole("combobox", { name: "分组" }).fill("vip");
  await page.getByRole("option", { name: "vip", exact: true }).click();
  await sheet.getByRole("button", { name: "保存", exact: true }).click();
  await expect(sheet).toHaveCount(0);
  expect(await read(site.api.root, name)).toMatchObject({ ...fields, quota: quota + 1_000_000 });
  await signIn(site.origin, { username: name, password: "another horse" });

  await choose(page, name, "额度记录");
  await expect(sheetOf(page).getByText("线下充值")).toBeVisible();
  await expect(sheetOf(page).getByText("+$2.00")).toBeVisible();
});

test("O-609 O-612: a phone names the role and the state of every user @phone", async ({
  page,
  site,
}) => {
  const name = unique("phone");
  await add(site, name);
  await page.goto(`/user?keyword=${name}`);
  const card = page.locator("[data-row]").filter({ hasText: name });
  await expect(card).toContainText("普通用户");
  await expect(card).toContainText("已激活");
});

test("A-236 to A-242, A-258: the row follows promote, demote, disable and enable; a typed name confirms the deletion, and the row is dimmed", async ({
  page,
  site,
}) => {
  const name = unique("rank");
  await add(site, name);
  await page.goto(`/user?keyword=${name}`);
  await choose(page, name, "提升为管理员");
  await page.getByRole("alertdialog").getByRole("button", { name: "提升为管理员" }).click();
  await expect(rowOf(page, name)).toContainText("管理员");
  await choose(page, name, "降级为普通用户");
  await page.getByRole("alertdialog").getByRole("button", { name: "降级为普通用户" }).click();
  await expect(rowOf(page, name)).toContainText("普通用户");
  await rowOf(page, name).getByRole("button", { name: /禁用/ }).click();
  await expect(rowOf(page, name)).toContainText("已封禁");
  await rowOf(page, name).getByRole("button", { name: /启用/ }).click();
  await expect(rowOf(page, name)).toContainText("已激活");

  await choose(page, name, "注销账户");
  const question = page.getByRole("alertdialog");
  await expect(question.getByRole("button", { name: "注销账户" })).toBeDisabled();
  await question.getByRole("textbox").fill(name);
  await question.getByRole("button", { name: "注销账户" }).click();
  await expect(rowOf(page, name)).toContainText("已注销");
  // A deleted user's row can be opened beside the list, but has no other actions.
  await expect(rowOf(page, name).getByRole("button").filter({ hasText: /./ })).toHaveCount(0);
  await page.getByRole("button", { name: `${name} 的更多操作` }).click();
  await expect(page.getByRole("menuitem")).toHaveText(["在侧边打开"]);
  await page.reload();
  await expect(rowOf(page, name)).toContainText("已注销");
});

test("A-243, A-248, A-249: /newUser is the same list by its own call, with the windows", async ({
  page,
}) => {
  const asked = page.waitForRequest(/\/api\/user\/query\?/);
  await page.setViewportSize({ width: 1920, height: 900 });
  await page.goto("/newUser?size=100");
  await asked;
  await expect(rowOf(page, "root")).toBeVisible();
  for (const column of ["近 1 天", "近 7 天", "近 30 天", "注册时间"]) {
    await expect(page.getByRole("columnheader", { name: column })).toBeVisible();
  }
});

test("selected users change in one call, and who could not be changed is named", async ({
  page,
  site,
}) => {
  const names = [unique("b"), unique("b")];
  for (const name of names) await add(site, name);
  await page.goto("/user?size=100");
  for (const name of [...names, "root"]) {
    await rowOf(page, name).getByRole("checkbox").check();
  }
  await page.getByRole("button", { name: "禁用", exact: true }).last().click();
  await page.getByRole("alertdialog").getByRole("button", { name: "禁用" }).click();
  await expect(page.getByText("无法禁用超级管理员用户").first()).toBeVisible();
  for (const name of names) expect(await read(site.api.root, name)).toMatchObject({ status: 2 });
  expect(await read(site.api.root, "root")).toMatchObject({ status: 1 });
});

test.describe("as an admin", () => {
  test.use({ as: "admin" });

  test("A-236, A-260, A-270, A-276: what may not be done is not offered, or says why", async ({
    page,
    site,
  }) => {
    await page.goto("/user?size=100");
    const root = rowOf(page, "root");
    // Tried again while the list still moves, because the tooltip moves with its row.
    await expect(async () => {
      await page.mouse.move(0, 0);
      await root.getByRole("button", { name: /编辑/ }).hover();
      const reason = page.getByText("无权更新同权限等级或更高权限等级的用户信息");
      await expect(reason).toBeVisible({ timeout: 3_000 });
    }).toPass();
    // A disabled action can be focused, so that its reason can be read; a press does nothing.
    await root.getByRole("button", { name: /禁用/ }).click({ force: true });
    expect(await read(site.api.root, "root")).toMatchObject({ status: 1 });
    await rowOf(page, "user1").getByRole("button", { name: "user1 的更多操作" }).click();
    await expect(page.getByRole("menuitem", { name: "注销账户" })).toBeVisible();
    await expect(page.getByRole("menuitem", { name: "提升为管理员" })).toHaveCount(0);
    await page.goto("/newUser?size=100");
    await expect(page.getByText("没有权限").last()).toBeVisible();
  });
});

test("the sheets of users can be used by everybody, fit and are translated @every", async ({
  page,
  site,
}) => {
  const faults = watchFaults(page);
  const { id } = await add(site, unique("long"));
  // Makes more entries than one page of the history has.
  for (let change = 0; change < 21; change += 1) {
    await site.api.root.call("PUT", "/api/user/", { id, quota_delta: 1 });
  }
  for (const address of ["/user?open=new", `/user?open=${id}`, `/user?open=history-${id}`]) {
    await page.goto(address);
    await expect(sheetOf(page)).toBeVisible();
    await expectFitForAll(page);
    expect(faults).toEqual([]);
  }
});
