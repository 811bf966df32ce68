import type { Api } from "./product.ts";
import {
  addSpender,
  answer,
  ask,
  box,
  openAs,
  panel,
  preparePlayground,
  settled,
  watchCalls,
} from "./playground-scene.ts";
import {
  expect,
  expectAccessible,
  expectNoSidewaysScroll,
  signInByForm,
  type Site,
  test,
} from "./support.ts";

const prepared = new WeakMap<Site, Promise<Api>>();

test.use({ as: null });

let player: Api;
test.beforeEach(async ({ site }) => {
  if (!prepared.has(site)) prepared.set(site, preparePlayground(site));
  // Safe cast: the line above has set the value.
  player = (await prepared.get(site)) as Api;
});

test("A-016 A-302 O-015 O-027 O-045 O-536 O-542 O-543 O-544 O-545 O-550: a question is answered, streamed, for exactly the logged charge", async ({
  enter,
  page,
  site,
}) => {
  const before = (await player.call("GET", "/api/user/self")) as { quota: number };
  const calls = watchCalls(page);
  await openAs(page, enter, player, "/log");
  await page.getByRole("link", { name: "操练场" }).click();
  await expect(page).toHaveURL(`${site.origin}/playground`);
  await ask(page, "你好");
  await expect(answer(page)).toContainText("This is a scripted answer");
  await expect(answer(page)).toContainText(/输入 [\d,]+ · 输出 \d+/);
  await expect(answer(page)).toContainText(/首字 .*用时 /s);
  await expect(answer(page)).toHaveAttribute("aria-busy", "false");
  await expect(page.getByRole("status").filter({ hasText: "回答完成" })).toHaveCount(1);

  expect(calls.length).toBe(1);
  const [call] = calls;
  expect(call?.headers()["new-api-user"]).toBe(String(player.user.id));
  expect(call?.postDataJSON()).toEqual({
    messages: [{ role: "user", content: "你好" }],
    stream: true,
    model: "gpt-4o-mini",
    group: "default",
    max_tokens: 0,
    temperature: 0,
  });
  const logs = (await player.call("GET", "/api/log/self/?type=2")) as {
    items: { quota: number; token_name: string }[];
  };
  expect(logs.items[0]?.token_name).toBe("playground-default");
  const after = (await player.call("GET", "/api/user/self")) as { quota: number };
  expect(before.quota - after.quota).toBe(logs.items[0]?.quota ?? -1);
});

test("O-531 O-532 O-533 O-534 O-535 O-537 O-538 O-539 O-540 O-541: parameters begin as specified and stand in the address", async ({
  enter,
  page,
}) => {
  await openAs(page, enter, player);
  const calls = watchCalls(page);
  await expect(panel(page).getByLabel("模型")).toHaveValue("gpt-4o-mini");
  await expect(panel(page).getByLabel("分组")).toHaveValue("default");
  await expect(panel(page).getByLabel("最大 Token 数")).toHaveValue("0");
  const slider = panel(page).getByRole("slider", { name: "温度" });
  await expect(slider).toHaveAttribute("min", "0.1");
  await expect(slider).toHaveAttribute("max", "1");
  await slider.focus();
  await slider.press("ArrowRight");
  await expect(page).toHaveURL(/temperature=0\.1(&|$)/);
  await slider.press("ArrowRight");
  await expect(page).toHaveURL(/temperature=0\.2(&|$)/);
  await panel(page).getByLabel("最大 Token 数").fill("12");
  await panel(page).getByLabel("系统提示词").fill("简短回答");
  await expect(page).toHaveURL(/max_tokens=12/);
  await panel(page).getByLabel("模型").click();
  await page.getByRole("option", { name: "play-think" }).click();
  await expect(page).toHaveURL(/model=play-think/);
  await page.reload();
  await ask(page, "在吗");
  await expect(answer(page, "play-think")).toContainText("思考过程");
  expect(calls[0]?.postDataJSON()).toMatchObject({ temperature: 0.2, max_tokens: 12 });
  // Texts that the user typed are not stored in the address.
  expect(page.url()).not.toContain("简短");
  await panel(page).getByRole("button", { name: "恢复默认值 0" }).click();
  await expect(page).not.toHaveURL(/temperature/);
  await page.goto("/playground?model=none&temperature=7");
  await expect(panel(page)).toContainText("当前分组没有模型 none");
});

test("O-535: the system prompt is sent as the system message; reasoning is folded", async ({
  enter,
  page,
}) => {
  const calls = watchCalls(page);
  await openAs(page, enter, player, "/playground?model=play-think");
  await page.getByRole("button", { name: "新对话" }).click();
  await panel(page).getByLabel("系统提示词").fill("简短回答");
  await ask(page, "一");
  await expect(answer(page, "play-think").getByRole("group")).not.toHaveAttribute("open");
  await answer(page, "play-think").getByText("思考过程").click();
  await expect(answer(page, "play-think").getByRole("group")).toHaveAttribute("open");
  expect(calls[0]?.postDataJSON().messages[0]).toEqual({ role: "system", content: "简短回答" });
});

test("O-546 O-547 O-551: a broken answer keeps its text and says why, with the request id", async ({
  enter,
  page,
}) => {
  await openAs(page, enter, player, "/playground?model=play-break");
  await ask(page, "说说看");
  const broken = answer(page, "play-break");
  await expect(broken).toContainText("This is a scripted");
  await expect(broken.getByRole("alert")).toContainText("上游响应中断");
  await expect(broken.getByRole("alert")).toContainText(/请求 ID\s*\d{17}\w+/);
  await broken.getByRole("button", { name: "重新回答" }).click();
  await expect(page.getByRole("article", { name: "play-break" })).toHaveCount(1);
  await expect(broken.getByRole("alert")).toBeVisible();
});

test("a balance that is too low is reported, with what to do about it", async ({
  enter,
  page,
  site,
}) => {
  const poor = await addSpender(site, `poor${Date.now() % 1e6}`, 0);
  await openAs(page, enter, poor);
  await ask(page, "你好");
  await expect(answer(page).getByRole("alert")).toContainText("余额不足，请充值后重试");
  await expect(answer(page).getByRole("alert")).toContainText("请求 ID");
});

test("A-426: an ended session leads to sign-in, and the question is kept", async ({
  enter,
  page,
  site,
}) => {
  const name = `gone${Date.now() % 1e6}`;
  const gone = await addSpender(site, name, 100_000);
  await openAs(page, enter, gone);
  await expect(panel(page).getByLabel("模型")).not.toHaveValue("");
  await box(page).fill("还在吗");
  await page.context().clearCookies();
  await box(page).press("Enter");
  await expect(page).toHaveURL(/\/login\?expired=true/);
  await signInByForm(page, { username: name, password: `password of ${name}` });
  await expect(page).toHaveURL(`${site.origin}/playground`);
  await expect(page.getByRole("article", { name: "我" })).toContainText("还在吗");
  await answer(page).getByRole("button", { name: "重新回答" }).click();
  await expect(answer(page)).toContainText("输出 40");
});

test("O-549: a stopped answer keeps its text and is charged", async ({ enter, page }) => {
  // After a client disconnect, the server reads the upstream's answer for five more seconds before
  // it bills.
  test.slow();
  await openAs(page, enter, player, "/playground?model=play-slow");
  await ask(page, "慢慢说");
  const slow = answer(page, "play-slow");
  await expect(slow).toHaveAttribute("aria-busy", "true");
  // Emphasis beside Chinese punctuation is shown as such while the answer is still being written.
  await expect(slow.locator("strong").first()).toHaveText("注意：");
  await page.getByRole("button", { name: "停止" }).click();
  await expect(slow).toHaveAttribute("aria-busy", "false");
  await expect(slow).toContainText("已停止");
  await expect(slow).toContainText(/输入 \d+ · 输出 \d+/);
  // After a reload the text is the same, and nothing is being written.
  await page.reload();
  await expect(slow).toContainText("已停止");
});

test("a user who scrolls up is left alone, and can go back to the end", async ({ enter, page }) => {
  await openAs(page, enter, player, "/playground?model=play-slow");
  await page.getByRole("button", { name: "新对话" }).click();
  await ask(page, "慢慢说");
  const scroller = page.getByRole("region", { name: "对话" });
  const gap = () =>
    scroller.evaluate((element) =>
      Math.round(element.scrollHeight - element.scrollTop - element.clientHeight),
    );
  const top = () => scroller.evaluate((element) => Math.round(element.scrollTop));
  await expect.poll(top).toBeGreaterThan(300);
  await expect.poll(gap).toBeLessThan(80);
  await scroller.hover();
  await page.mouse.wheel(0, -250);
  await expect(page.getByRole("button", { name: "回到底部" })).toBeVisible();
  // Waits until the view stands still, because the last step of the wheel's scrolling may still be
  // under way.
  const place = await settled(top);
  const height = await scroller.evaluate((element) => element.scrollHeight);
  await expect
    .poll(() => scroller.evaluate((element) => element.scrollHeight))
    .toBeGreaterThan(height + 100);
  expect(await top()).toBe(place);
  await page.getByRole("button", { name: "回到底部" }).click();
  await expect.poll(gap).toBeLessThan(80);
  await box(page).press("Escape");
  await expect(page.getByRole("button", { name: "发送" })).toBeVisible();
});

test("Enter sends, Shift Enter breaks the line, and an input method's Enter does neither", async ({
  enter,
  page,
}) => {
  const calls = watchCalls(page);
  await openAs(page, enter, player);
  await page.getByRole("button", { name: "新对话" }).click();
  await expect(panel(page).getByLabel("模型")).not.toHaveValue("");
  await box(page).fill("wang");
  for (const init of [
    { key: "Enter", isComposing: true },
    { key: "Enter", keyCode: 229 },
  ]) {
    await box(page).dispatchEvent("keydown", { ...init, bubbles: true, cancelable: true });
  }
  await box(page).press("Shift+Enter");
  await box(page).pressSequentially("guan");
  await expect(box(page)).toHaveValue("wang\nguan");
  expect(calls.length).toBe(0);
  await box(page).press("Enter");
  await expect(answer(page)).toContainText("输出 40");
  expect(calls.length).toBe(1);
  await expect(box(page)).toHaveValue("");
});

test("a question can be edited, removed and restored; a conversation begun, cleared and found again", async ({
  enter,
  page,
}) => {
  await openAs(page, enter, player);
  await page.getByRole("button", { name: "新对话" }).click();
  const questions = page.getByRole("article", { name: "我" });
  await ask(page, "第一问");
  await expect(answer(page)).toContainText("输出 40");
  await ask(page, "第二问");
  await expect(page.getByRole("article", { name: "gpt-4o-mini" })).toHaveCount(2);
  await expect(answer(page)).toContainText("输出 40");

  await questions.first().getByRole("button", { name: "编辑并重新提问" }).click();
  await page.getByRole("textbox", { name: "编辑提问" }).fill("换一问");
  await page.getByRole("textbox", { name: "编辑提问" }).press("Enter");
  await expect(questions).toHaveCount(1);
  await expect(questions).toContainText("换一问");
  await page.getByRole("button", { name: "撤销" }).click();
  await expect(questions).toHaveText([/第一问/, /第二问/]);

  await questions.last().getByRole("button", { name: "删除" }).click();
  await expect(questions).toHaveCount(1);
  await page.getByRole("button", { name: "撤销" }).last().click();
  await expect(questions).toHaveCount(2);

  await page.getByRole("button", { name: "新对话" }).click();
  await expect(questions).toHaveCount(0);
  await page.getByRole("button", { name: "历史对话" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "第一问" }).first().click();
  await expect(questions).toHaveCount(2);
  await page.reload();
  await expect(questions).toHaveCount(2);
  await page.getByRole("button", { name: "清空对话" }).click();
  await expect(questions).toHaveCount(0);
});

test("a small picture is pasted and sent; a large one is refused", async ({ enter, page }) => {
  const calls = watchCalls(page);
  await openAs(page, enter, player);
  await page.getByRole("button", { name: "新对话" }).click();
  await expect(panel(page).getByLabel("模型")).not.toHaveValue("");
  const paste = (bytes: number) =>
    box(page).evaluate((element, size) => {
      const data = new DataTransfer();
      data.items.add(new File([new Uint8Array(size)], "a.png", { type: "image/png" }));
      element.dispatchEvent(
        new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }),
      );
    }, bytes);
  await paste(2 * 1024 * 1024);
  await expect(page.getByText("图片不能超过 1 MB")).toBeVisible();
  await paste(100);
  await expect(page.getByRole("img", { name: "图片 1" })).toHaveCount(1);
  await box(page).press("Enter");
  await expect(answer(page)).toContainText("输出 40");
  const content = calls[0]?.postDataJSON().messages[0].content;
  expect(content[0].image_url.url).toMatch(/^data:image\/png;base64,AAAA/);
});

test("the code of the same request is shown in three languages, without any key", async ({
  enter,
  page,
}) => {
  await openAs(page, enter, player, "/playground?temperature=0.3");
  await page.getByRole("button", { name: "新对话" }).click();
  await ask(page, "看代码");
  await expect(answer(page)).toContainText("输出 40");
  await page.getByRole("button", { name: "查看代码" }).click();
  const dialog = page.getByRole("dialog");
  for (const [tab, part] of [
    ["curl", "curl -N"],
    ["Python", "from openai import OpenAI"],
    ["Node.js", 'import OpenAI from "openai"'],
  ] as const) {
    await dialog.getByRole("tab", { name: tab }).click();
    await expect(dialog).toContainText(part);
    await expect(dialog).toContainText("看代码");
    await expect(dialog).toContainText("sk-your-token");
    await expect(dialog).toContainText("0.3");
  }
});

test("a user without a model is told what to do", async ({ enter, page, site }) => {
  await page.route("**/api/user/models*", async (route) => {
    await route.fulfill({ json: { success: true, message: "", data: [] } });
  });
  await openAs(page, enter, player);
  await page.getByRole("button", { name: "新对话" }).click();
  await expect(page.getByText("分组 default 下没有可用模型")).toBeVisible();
  await box(page).fill("你好");
  await expect(page.getByRole("button", { name: "发送" })).toBeDisabled();
  await openAs(page, enter, site.api.root);
  await expect(page.getByRole("link", { name: "去添加渠道" })).toHaveAttribute("href", "/channel");
});

test("by keyboard alone: parameters, question, answer, stop", async ({ enter, page }) => {
  await openAs(page, enter, player, "/playground?model=play-slow");
  await page.getByRole("button", { name: "新对话" }).focus();
  await page.keyboard.press("Enter");
  await expect(box(page)).toBeFocused();
  await expect(panel(page).getByLabel("模型")).not.toHaveValue("");
  await page.keyboard.type("你好");
  await page.keyboard.press("Enter");
  await expect(answer(page, "play-slow")).toHaveAttribute("aria-busy", "true");
  await page.keyboard.press("Escape");
  await expect(answer(page, "play-slow")).toHaveAttribute("aria-busy", "false");
  await expect(box(page)).toBeFocused();
  const reached = new Set<string>();
  // Once round the page: the menu and the bar lie between the parameters and the conversation.
  for (let count = 0; count < 100; count += 1) {
    await page.keyboard.press("Tab");
    if (await box(page).evaluate((it) => it === document.activeElement)) break;
    const name = await page.evaluate(() => {
      const { activeElement: element } = document;
      if (element === null) return "";
      const labelled = element.getAttribute("aria-labelledby") ?? `${element.id}-label`;
      const label = document.getElementById(labelled)?.textContent;
      return element.getAttribute("aria-label") ?? label ?? element.textContent ?? "";
    });
    reached.add(name.trim());
  }
  for (const name of ["分组", "模型", "温度", "最大 Token 数", "系统提示词", "对话", "重新回答"]) {
    expect([...reached]).toContain(name);
  }
});

test("the playground with a conversation is accessible and fits @every", async ({ enter, page }, {
  project,
}) => {
  await openAs(page, enter, player);
  const isEnglish = project.name.includes("-en-");
  const question = page.getByRole("textbox", { name: isEnglish ? "Your message" : "提问内容" });
  await question.fill("hello ".repeat(40));
  const send = page.getByRole("button", { name: isEnglish ? "Send" : "发送", exact: true });
  await expect(send).toBeEnabled();
  await question.press("Enter");
  await expect(answer(page)).toContainText(isEnglish ? "40 out" : "输出 40");
  await expectAccessible(page);
  await expectNoSidewaysScroll(page);
});

test("on a phone the parameters are in a sheet @phone", async ({ enter, page }) => {
  await openAs(page, enter, player, "/playground?model=play-break");
  await expect(panel(page)).toBeHidden();
  await page.getByRole("button", { name: "参数" }).click();
  const sheet = page.getByRole("dialog", { name: "参数" });
  await expect(sheet.getByLabel("模型")).toHaveValue("play-break");
  await expectAccessible(page);
  await sheet.getByRole("button", { name: "关闭" }).click();
  await box(page).fill("你好");
  await page.getByRole("button", { name: "发送" }).click();
  await expect(answer(page, "play-break").getByRole("alert")).toBeVisible();
  await expectAccessible(page);
  await expectNoSidewaysScroll(page);
  // In English and on a narrower phone the title is whole, too.
  await page.setViewportSize({ width: 345, height: 740 });
  await page.evaluate(() => localStorage.setItem("i18nextLng", "en"));
  await page.reload();
  const title = page.getByRole("heading", { level: 1, name: "Playground" });
  expect(await title.evaluate((shown) => shown.scrollWidth - shown.clientWidth)).toBe(0);
});
