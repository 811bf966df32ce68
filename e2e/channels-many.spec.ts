import { channelsOf, choose, rowOf } from "./channels.ts";
import { expect, expectFitForAll, test, watchFaults } from "./support.ts";

test.use({ as: "admin" });

test("O-062 O-123 to O-129: tags sum up their channels and stay unfolded", async ({
  page,
  site,
}) => {
  const channels = channelsOf(site, "tagged");
  await channels.create({ name: "tagged one", tag: "tagged x", priority: 1, weight: 1 });
  await channels.create({ name: "tagged two", tag: "tagged x", priority: 1, weight: 2, status: 2 });
  await page.goto("/channel?keyword=tagged");
  await page.getByRole("switch", { name: "标签聚合" }).click();
  const tag = rowOf(page, "标签：tagged x");
  await expect(tag.getByText("启用 1/2")).toBeVisible();
  await expect(tag.getByRole("textbox", { name: /优先级/ })).toHaveValue("1");
  const weight = tag.getByRole("textbox", { name: /权重/ });
  await expect(weight).toHaveValue("");
  await expect(weight).toHaveAttribute("placeholder", "不一致");
  await expect(rowOf(page, "tagged one")).toHaveCount(0);
  await tag.getByRole("button", { name: "展开标签 tagged x" }).click();
  await expect(rowOf(page, "tagged one")).toBeVisible();
  await page.reload();
  await expect(rowOf(page, "tagged one")).toBeVisible();
  await tag.getByRole("button", { name: "收起标签 tagged x" }).click();
  await expect(rowOf(page, "tagged one")).toHaveCount(0);
});

test("an action on a tag applies to its channels: switch, number, edit in its sheet", async ({
  page,
  site,
}) => {
  const channels = channelsOf(site, "tagacts");
  for (const name of ["tagacts one", "tagacts two"]) {
    await channels.create({ name, tag: "tagacts" });
  }
  await page.goto("/channel?keyword=tagacts&tag_mode=true");
  const tag = rowOf(page, "标签：tagacts");

  await test.step("O-117 O-118 O-198: a tag switches all its channels", async () => {
    const statuses = async () => (await channels.list()).map(({ status }) => status);
    const question = page.getByRole("alertdialog");
    await choose(page, "标签：tagacts", "全部禁用");
    await expect(question).toContainText("2 个渠道都会被修改");
    await question.getByRole("button", { name: "禁用" }).click();
    await expect.poll(statuses).toEqual([2, 2]);
    await choose(page, "标签：tagacts", "全部启用");
    await question.getByRole("button", { name: "启用" }).click();
    await expect.poll(statuses).toEqual([1, 1]);
  });

  await test.step("O-160 O-161: a number of a tag is changed only after a question", async () => {
    const priorities = async () => (await channels.list()).map(({ priority }) => priority);
    const priority = tag.getByRole("textbox", { name: /优先级/ });
    await priority.fill("9");
    await priority.press("Enter");
    const question = page.getByRole("alertdialog");
    await question.getByRole("button", { name: "取消" }).click();
    await expect(priority).toHaveValue("0");
    expect(await priorities()).toEqual([0, 0]);
    await priority.fill("8");
    await priority.press("Enter");
    await question.getByRole("button", { name: "修改" }).click();
    await expect.poll(priorities).toEqual([8, 8]);
    const weights = async () => (await channels.list()).map(({ weight }) => weight);
    const weight = tag.getByRole("textbox", { name: /权重/ });
    await weight.fill("4");
    await weight.press("Enter");
    await question.getByRole("button", { name: "取消" }).click();
    expect(await weights()).toEqual([0, 0]);
    await weight.fill("4");
    await weight.press("Enter");
    await question.getByRole("button", { name: "修改" }).click();
    await expect.poll(weights).toEqual([4, 4]);
  });

  await test.step("O-065 O-119 O-157 to O-159 O-230: the tag's sheet changes only filled-in values", async () => {
    await tag.getByRole("button", { name: /编辑标签/ }).click();
    const sheet = page.getByRole("dialog").filter({ has: page.locator("header") });
    const save = sheet.getByRole("button", { name: "保存", exact: true });
    await save.click();
    await expect(sheet.getByText("没有任何修改！")).toBeVisible();
    await sheet.getByLabel("优先级", { exact: true }).fill("1.5");
    await sheet.getByLabel("权重", { exact: true }).fill("-1");
    await save.click();
    await expect(sheet.getByText("优先级必须是整数！")).toBeVisible();
    await expect(sheet.getByText("权重必须是非负整数！")).toBeVisible();
    await sheet.getByLabel("优先级", { exact: true }).fill("3");
    await sheet.getByLabel("权重", { exact: true }).fill("");
    await sheet.getByRole("textbox", { name: "标签", exact: true }).fill("tagacts renamed");
    await save.click();
    const question = page.getByRole("alertdialog");
    await expect(question).toContainText("2 个渠道都会被修改");
    await question.getByRole("button", { name: "修改", exact: true }).click();
    await expect(page.getByText("操作成功完成！")).toBeVisible();
    const changed = { tag: "tagacts renamed", priority: 3, weight: 4 };
    expect(await channels.list()).toMatchObject([changed, changed]);
  });
});

test("O-063 O-164 O-227 O-228: several channels are tagged, switched and deleted at once", async ({
  page,
  site,
}) => {
  const channels = channelsOf(site, "several");
  for (const name of ["several one", "several two"]) await channels.create({ name });
  await page.goto("/channel?keyword=several");
  const bar = page.getByRole("region");
  const select = async () => {
    for (const name of ["several one", "several two"]) {
      await rowOf(page, name).getByRole("checkbox").check();
    }
  };
  await select();
  await bar.getByRole("button", { name: "设置标签" }).click();
  const dialog = page.getByRole("dialog", { name: "为 2 个渠道设置标签" });
  await dialog.getByRole("button", { name: "设置标签" }).click();
  await expect(dialog.getByText("标签不能为空！")).toBeVisible();
  await dialog.getByRole("textbox").fill("several");
  await dialog.getByRole("button", { name: "设置标签" }).click();
  await expect(page.getByText("已为 2 个渠道设置标签")).toBeVisible();
  expect((await channels.list()).map(({ tag }) => tag)).toEqual(["several", "several"]);
  await select();
  await bar.getByRole("button", { name: "禁用" }).click();
  await expect(page.getByText("已禁用 2 个渠道")).toBeVisible();
  await select();
  await bar.getByRole("button", { name: "删除" }).click();
  const question = page.getByRole("alertdialog");
  await question.getByRole("textbox").fill("2");
  await question.getByRole("button", { name: "删除" }).click();
  await expect(page.getByText("已删除 2 个渠道")).toBeVisible();
  expect(await channels.list()).toEqual([]);
});

test("O-069 to O-073 O-222 O-673: all channels are tested in the background, and the list follows; disabled ones are removed and counted", async ({
  page,
  site,
}) => {
  const channels = channelsOf(site, "round");
  await channels.create({ name: "round one", models: "demo-fast" });
  await channels.create({ name: "round off", models: "demo-fast", status: 2 });
  await page.goto("/channel?keyword=round");
  const start = async (entry: string) => {
    await page.getByRole("button", { name: "批量维护" }).click();
    await page.getByRole("menuitem", { name: entry }).click();
  };
  await start("测试所有渠道");
  await expect(page.getByText(/已开始测试所有渠道/)).toBeVisible();
  await expect(rowOf(page, "round one").getByText(/\d ms/)).toBeVisible();
  await expect(rowOf(page, "round off").getByText("未测试")).toBeVisible();
  await start("更新所有已启用渠道余额");
  await expect(page.getByText(/已开始更新所有已启用渠道的余额/)).toBeVisible();
  await start("修复数据库一致性");
  await expect(page.getByText(/数据库一致性已修复，共修复 \d+ 个渠道/)).toBeVisible();
  await start("删除禁用渠道");
  const question = page.getByRole("alertdialog");
  const count = /\d+/.exec(await question.getByRole("heading").innerText())?.[0] ?? "";
  // Other tests may have left channels here; of more than one the number is typed.
  if (count !== "1") await question.getByRole("textbox").fill(count);
  await question.getByRole("button", { name: "删除" }).click();
  await expect(page.getByText(/已删除所有禁用渠道，共计 \d+ 个/)).toBeVisible();
  await expect(rowOf(page, "round off")).toHaveCount(0);
  await expect(rowOf(page, "round one")).toBeVisible();
});

test("filters, order and an open sheet survive a reload; Escape closes it", async ({
  page,
  site,
}) => {
  const id = await channelsOf(site, "address").create({ name: "address one" });
  await page.goto(`/channel?keyword=address&sort=-name&open=${id}`);
  const sheet = page.getByRole("dialog", { name: "编辑渠道：address one" });
  await expect(sheet).toBeVisible();
  await page.reload();
  await expect(sheet).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(sheet).toHaveCount(0);
  await expect(page).toHaveURL(/keyword=address/);
  await expect(page).not.toHaveURL(/open=/);
});

test("a channel can be created with the keyboard alone", async ({ page, site }) => {
  const channels = channelsOf(site, "keys");
  await page.goto("/channel");
  await page.getByRole("button", { name: "添加渠道" }).focus();
  await page.keyboard.press("Enter");
  const sheet = page.getByRole("dialog", { name: "添加渠道" });
  await sheet.getByRole("combobox", { name: /^类型/ }).focus();
  await page.keyboard.type("openai");
  await page.keyboard.press("Enter");
  await page.keyboard.press("Tab");
  for (const text of ["keys only", site.upstream, "sk-keys-0123456789"]) {
    while (!(await sheet.locator("input:focus:not([aria-hidden])").count())) {
      await page.keyboard.press("Tab");
    }
    await page.keyboard.type(text);
    await page.keyboard.press("Tab");
  }
  await page.keyboard.press("Control+Enter");
  await expect(page.getByText("渠道 keys only 创建成功！")).toBeVisible();
  expect(await channels.list()).toHaveLength(1);
});

test("channels, the sheet of a new one and tags are accessible, fit and are translated @every", async ({
  page,
  site,
}) => {
  const channels = channelsOf(site, "axe");
  if ((await channels.list()).length === 0) {
    await channels.create({
      name: "axe one, of a name that is far too long for its column",
      tag: "axe",
    });
    await channels.create({ name: "axe two", tag: "axe", status: 2 });
  }
  const faults = watchFaults(page);
  for (const open of ["", "?open=new", "?tag_mode=true"]) {
    await page.goto(`/channel${open}`);
    await page.waitForLoadState("networkidle");
    await expect(page.getByRole("dialog")).toHaveCount(open === "?open=new" ? 1 : 0);
    await expectFitForAll(page);
    expect(faults).toEqual([]);
  }
});
