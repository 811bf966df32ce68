/** Connecting a program: from the page that names it to the bill of its first call. */

import { startProduct } from "./product.ts";
import { expect, expectFitForAll, test } from "./support.ts";
import { add, ask, asUserWithQuota, clipboard, unique } from "./token-steps.ts";

test.describe("with a key", () => {
  asUserWithQuota();

  test("a program's files have the user's own key, and its first call becomes a bill @every", async ({
    page,
    site,
  }) => {
    const name = unique("agent");
    const { id, key } = await add(site, { name });
    await page.goto(`/connect?token=${id}`);
    await expect(page.getByRole("heading", { level: 1 })).toHaveText(/^(接入|Connect)$/);
    await expect(page.getByText("~/.claude/settings.json")).toBeVisible();
    // The script is there as a whole, and has no key: it asks for one.
    const script = page.getByRole("group", { name: "javascript" });
    await expect(script).toContainText("mode: 0o600");
    await expect(script).not.toContainText(key);
    await page.getByRole("button", { name: /^(复制（含我的令牌）|Copy with my key)$/ }).click();
    await expect.poll(() => clipboard(page)).toContain(`"ANTHROPIC_AUTH_TOKEN": "sk-${key}"`);
    await expect(page.getByText(/正在等待此令牌|Waiting for your first call/)).toBeVisible();
    await expectFitForAll(page);
    expect(await ask(site, `sk-${key}`)).toBe(200);
    await expect(page.getByRole("heading", { name: /接入成功|It works/ })).toBeVisible();
    await page.getByRole("link", { name: /^(在日志中查看|Open in the log)$/ }).click();
    await expect(page).toHaveURL(/\/log\?.*request_id=/);
  });
});

test.describe("in a demo", () => {
  test.use({ as: null });

  test("a visitor looks around as root, and is told that nothing can be changed", async ({
    page,
  }) => {
    const demo = await startProduct({ demo: true });
    try {
      await page.goto(demo.origin);
      await page.getByRole("button", { name: "参观控制台" }).click();
      await expect(page).toHaveURL(/\/detail/);
      await expect(page.getByText("你正以超级管理员身份参观")).toBeVisible();
      await page.goto(`${demo.origin}/user`);
      await expect(page.getByText("demo-ada", { exact: true })).toBeVisible();
      await page.goto(`${demo.origin}/token?open=new`);
      // In the sheet: while its code is loaded, only the search of the list has such a name.
      const sheet = page.getByRole("dialog");
      await sheet.getByRole("textbox", { name: "名称" }).fill("mine");
      await sheet.getByRole("button", { name: /^(创建|提交|保存)/ }).click();
      await expect(page.getByText("参观演示时只能查看，不能更改任何内容").first()).toBeVisible();
      await page.goto(demo.origin);
      await page.getByRole("button", { name: "结束参观" }).click();
      await expect(page).toHaveURL(/\/login/);
    } finally {
      await demo.stop();
    }
  });
});
