/** The journey of a laboratory: root makes it, its owner pays in and invites, a developer has a key. */

import type { Browser, Page } from "@playwright/test";
import { type Account, type Api, rootAccount, signIn, startProduct } from "./product.ts";
import { addUser, expect, expectAccessible, signInByForm, test } from "./support.ts";

test.use({ as: null });

async function open(browser: Browser, address: string, account: Account): Promise<Page> {
  const page = await (await browser.newContext({ locale: "en" })).newPage();
  await page.goto(address);
  await signInByForm(page, account);
  return page;
}

async function fund(root: Api, id: number): Promise<void> {
  await root.call("PUT", "/api/user/", { id, quota_delta: 5_000_000 });
}

test("a laboratory shares a balance", async ({ browser }) => {
  const product = await startProduct({ demo: true, account: rootAccount });
  const { origin } = product;
  try {
    const root = await signIn(origin, rootAccount);
    await root.call("PUT", "/api/option/", { key: "RootSecondFactorRequired", value: "false" });
    const [professor, student] = [await addUser(root, "prof"), await addUser(root, "student")];
    const own = await signIn(origin, professor);
    // Safe cast: the contract of `readSelf`.
    await fund(root, ((await own.call("GET", "/api/user/self")) as { id: number }).id);

    // Root makes the organisation.
    const roots = await open(browser, `${origin}/setting?tab=personal`, rootAccount);
    const card = roots.getByRole("region", { name: /组织|Organisations/ });
    await card.getByRole("button", { name: /新建组织|New organisation/ }).click();
    const sheet = roots.getByRole("dialog");
    await sheet.getByLabel(/^名称|^Name/).fill("Lab");
    await sheet.getByLabel(/^标识|^Handle/).fill("lab");
    await sheet.getByLabel(/所有者的用户名|Username of the owner/).fill("prof");
    await sheet.getByRole("button", { name: /保存|Save/ }).click();
    await expect(card.getByText("@lab")).toBeVisible();

    // Its owner pays in, and invites a student.
    const prof = await open(browser, `${origin}/setting`, professor);
    await expect(prof.getByRole("heading", { name: "Lab" })).toBeVisible();
    await expectAccessible(prof);
    await prof.getByRole("button", { name: /转账|Move quota/ }).click();
    const moving = prof.getByRole("dialog");
    await moving.getByLabel(/^额度|^Amount/).fill("4");
    await moving.getByRole("button", { name: /转账|Move quota/ }).click();
    await expect(prof.getByText(/已转移|moved/)).toBeVisible();
    await prof.getByRole("tab", { name: /人员|People/ }).click();
    await prof.getByRole("button", { name: /^邀请$|^Invite$/ }).click();
    const link = await prof.getByLabel(/邀请链接|Link of the invitation/).inputValue();
    expect(link).toMatch(/\/setting#invitation=[\w-]{43}$/);

    // The student sees nothing of organisations before, and joins by the link.
    const before = await open(browser, `${origin}/setting`, student);
    await expect(before.getByRole("heading", { name: /账户|Account/ }).first()).toBeVisible();
    await expect(before.getByRole("region", { name: /组织|Organisations/ })).toHaveCount(0);
    await before.goto(link.replace(/^.*\/setting/, `${origin}/setting`));
    await before.reload();
    await before.getByRole("button", { name: /^加入$|^Join$/ }).click();
    await before.getByRole("tab", { name: /密钥|Keys/ }).click();
    await before.getByRole("button", { name: /新建密钥|New key/ }).click();
    const making = before.getByRole("dialog");
    await making.getByLabel(/密钥名称|Name of the key/).fill("thesis");
    await making.getByRole("button", { name: /保存|Save/ }).click();
    const key =
      (await before.locator("code", { hasText: /^sk-[0-9A-Za-z]{48}$/ }).textContent()) ?? "";

    // A call by the key is the laboratory's.
    const model = /"model":"([^"]+)"/.exec(product.output())?.[1] ?? "";
    const answer = await fetch(`${origin}/v1/chat/completions`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${key}` },
      body: JSON.stringify({ model, messages: [{ role: "user", content: "hi" }] }),
    });
    expect([answer.status, await answer.text()]).toEqual([200, expect.any(String)]);
    await prof.reload();
    await expect(prof.getByText("student").first()).toBeVisible();
  } finally {
    await product.stop();
  }
});
