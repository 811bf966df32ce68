/** Figures of changes that no picture shows. */

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { AxeBuilder } from "@axe-core/playwright";
import type { Page } from "@playwright/test";
import { smallTargets } from "#e2e/room.ts";
import { desktop, open, phone, type Scene } from "./scene.ts";
import { folderOn } from "./sides.ts";

type Told = Promise<Readonly<Record<string, string>>>;

export async function documents({ side }: Scene): Told {
  const folder = folderOn(side);
  const guides = join(folder, "docs/operate");
  const readme = readFileSync(join(folder, "README.md"), "utf8");
  const count = existsSync(guides) ? readdirSync(guides).length : 0;
  return {
    "README in Chinese": existsSync(join(folder, "README.zh-CN.md")) ? "yes" : "no",
    "A line for cloning": readme.includes("git clone") ? "yes" : "no",
    "Files about running it": String(count),
  };
}

/** The message for a model that nobody serves. */
export async function apiError({ site }: Scene): Told {
  const answer = await fetch(`${site.origin}/v1/chat/completions`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${site.key}`,
      "content-type": "application/json",
      "accept-language": "en",
    },
    body: JSON.stringify({ model: "gpt-9", messages: [{ role: "user", content: "hi" }] }),
  });
  // Safe cast: every error of the API has this form.
  const { error } = (await answer.json()) as { readonly error: { readonly message: string } };
  return { Message: error.message.replace(/ \(request id: \w+\)$/, "") };
}

/** Where the keyboard is after a form was opened and closed by keys. */
export async function focusAfterEscape({ page }: Scene): Told {
  await open(page, "/token");
  const opener = page.getByRole("button", { name: /^New (token|API key)$/ }).first();
  await opener.press("Enter");
  await page.locator("[role=dialog]:has(header)").waitFor();
  await page.keyboard.press("Escape");
  await page.locator("[role=dialog]:has(header)").waitFor({ state: "detached" });
  const focused = page.locator(":focus");
  await focused.waitFor({ timeout: 3_000 }).catch(() => undefined);
  const name = (await focused.count()) === 0 ? "nowhere" : await focused.innerText();
  return { "The keyboard after Escape": name.trim() };
}

const checkedPages = ["/token", "/log", "/channel", "/setting"];

export async function accessibility({ page }: Scene): Told {
  const found = new Set<string>();
  let small = 0;
  for (const path of checkedPages) {
    await page.setViewportSize(desktop);
    await open(page, path);
    for (const rule of await brokenRules(page)) found.add(rule);
  }
  await page.setViewportSize(phone);
  for (const path of checkedPages) {
    await open(page, path);
    small += (await smallTargets(page)).length;
  }
  const pages = checkedPages.map((path) => `\`${path}\``).join(", ");
  return {
    [`Rules that axe finds broken on ${pages}`]: found.size === 0 ? "none" : [...found].join(", "),
    "Targets under 32 pixels there, on a phone": String(small),
  };
}

async function brokenRules(page: Page): Promise<string[]> {
  // Safe cast: axe has a type of its own for the same page object.
  const builder = new AxeBuilder({ page: page as never }).setLegacyMode(true);
  const { violations } = await builder.options({ resultTypes: ["violations"] }).analyze();
  return violations.map(({ id }) => id);
}
