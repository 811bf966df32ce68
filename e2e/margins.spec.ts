import { openMailBox } from "./outside.ts";
import { signIn, startProduct } from "./product.ts";
import { expect, signInByForm, test } from "./support.ts";

const account = { username: "chief", password: "a long enough password" };
const model = "sold-too-cheap";

test.use({ as: null });

test("root sells below cost on purpose, is told of it, and finds the channel", async ({
  page,
  site,
}) => {
  // The job that looks for losses runs once a minute.
  test.setTimeout(170_000);
  await fetch(`${site.upstream}/__demo/scripts/${model}`, {
    method: "PUT",
    body: JSON.stringify({ promptTokens: 1_000, events: 100 }),
  });
  const box = await openMailBox();
  const product = await startProduct({ account });
  try {
    const root = await signIn(product.origin, account);
    for (const [key, value] of Object.entries({
      SMTPServer: "127.0.0.1",
      SMTPPort: String(box.port),
      SMTPAccount: "gate@example.com",
      BelowCostRemindThreshold: "0.001",
    })) {
      await root.call("PUT", "/api/option/", { key, value });
    }
    await root.call("PUT", "/api/user/setting", {
      notify_type: "email",
      notification_email: "root@example.com",
      quota_warning_threshold: 500_000,
    });
    // A call costs 1,000 × $1 + 100 × $2 for a million tokens each: $0.0012.
    await root.call("PUT", "/api/prices/", {
      books: [{ model, prices: { tokens: { input: "1", output: "2" } } }],
    });
    const [id] = (await root.call("POST", "/api/channel/", {
      type: 1,
      name: "dear upstream",
      key: "sk-dear",
      base_url: site.upstream,
      models: model,
      group: "default",
    })) as readonly number[];
    await page.goto(`${product.origin}/login`);
    await signInByForm(page, account);
    await page.waitForURL((url) => !url.pathname.startsWith("/login"));
    await page.goto(`${product.origin}/channel?open=${id}`);
    const sheet = page.getByRole("dialog").first();
    await sheet
      .getByRole("region", { name: "成本（仅站长可见）" })
      .getByRole("button")
      .first()
      .click();
    await sheet.getByLabel(`${model} 输入`).fill("5");
    await sheet.getByLabel(`${model} 输出`).fill("10");
    await sheet.getByRole("button", { name: "保存成本" }).click();
    await expect(sheet.getByText(/版本 1/)).toBeVisible();
    const { key } = (await root.call("POST", "/api/token/", {
      name: "mine",
      remain_quota: 500_000,
      expired_time: -1,
      unlimited_quota: false,
    })) as { readonly key: string };
    const answer = await fetch(`${product.origin}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({ model, messages: [{ role: "user", content: "hi" }] }),
    });
    expect(answer.status, await answer.text()).toBe(200);
    // The job that looks for losses runs once a minute.
    await expect
      .poll(() => box.newest("root@example.com"), { timeout: 100_000 })
      .toContain("dear upstream");
    expect(box.newest("root@example.com")).toContain(model);
    await page.goto(`${product.origin}/margins?by=losses`);
    const loss = page.getByRole("row", { name: /dear upstream/ });
    await expect(loss).toContainText("$0.0012");
    await expect(loss).toContainText("$0.006");
    await page.goto(`${product.origin}/margins?by=channels&below=true`);
    await expect(page.getByRole("row", { name: /dear upstream/ })).toBeVisible();
  } finally {
    await product.stop();
    await box.stop();
  }
});
