/** Takes the moving picture of the README. */

import { writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Page } from "@playwright/test";
import { animate, type Frame } from "./animation.ts";
import { signIn } from "./product.ts";
import { addUser, type Site, test } from "./support.ts";

const file = join(dirname(dirname(fileURLToPath(import.meta.url))), "docs/screens/a-call.png");

/** The widest picture that a README shows unscaled; also small enough to load quickly. */
const viewport = { width: 1_120, height: 630 };

/** Milliseconds between two pictures that are taken while an answer streams. */
const stepMs = 100;

test.use({ viewport, locale: "en-US", colorScheme: "dark" });

test("a call, from the question to its row in the log", async ({ browser, page, site }) => {
  await prepare(site);
  const frames: Frame[] = [];
  const shoot = async (showMs: number): Promise<void> => {
    frames.push({ png: await page.screenshot({ caret: "hide" }), showMs });
  };
  await page.goto("/playground");
  await page.waitForLoadState("networkidle");
  await ask(page, "How do you charge for this answer?", shoot);
  await page.goto("/log");
  await page.waitForLoadState("networkidle");
  await shoot(1_500);
  await page.locator("[data-row] button[aria-expanded]").first().click();
  await page.waitForTimeout(600); // Waits a moment, because the details take time to open fully.
  await shoot(6_000);
  const reader = await browser.newPage();
  writeFileSync(file, await animate(reader, frames));
});

/**
 * Makes two channels, and calls of two users, which the log shows beside the call of the picture.
 */
async function prepare(site: Site): Promise<void> {
  const script = { promptTokens: 640, events: 40, eventDelayMs: 60 };
  for (const [model, changes] of [
    ["gpt-4o-mini", {}],
    ["gpt-4.1", { promptTokens: 5_120, eventDelayMs: 4 }],
  ] as const) {
    const url = `${site.upstream}/__demo/scripts/${model}`;
    await fetch(url, { method: "PUT", body: JSON.stringify({ ...script, ...changes }) });
  }
  for (const [name, priority] of [
    ["OpenAI", 10],
    ["OpenAI spare", 0],
  ] as const) {
    const models = "gpt-4o-mini,gpt-4.1";
    const channel = { name, type: 1, key: "sk-upstream", base_url: site.upstream, models };
    await site.api.root.call("POST", "/api/channel/", {
      ...channel,
      priority,
      group: "default",
      status: 1,
    });
  }
  for (const name of ["emma", "hiroshi"]) await call(site, name);
}

async function call(site: Site, username: string): Promise<void> {
  const api = await signIn(site.origin, await addUser(site.api.root, username));
  await site.api.root.call("PUT", "/api/user/", { id: api.user.id, quota_delta: 5_000_000 });
  const token = { name: "laptop", expired_time: -1, remain_quota: 0, unlimited_quota: true };
  // Safe cast: the contract of `createToken`.
  const { key } = (await api.call("POST", "/api/token/", token)) as { key: string };
  for (const model of ["gpt-4.1", "gpt-4o-mini"]) {
    const answer = await fetch(`${site.origin}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({ model, stream: true, messages: [{ role: "user", content: "hi" }] }),
    });
    await answer.arrayBuffer();
  }
}

async function ask(
  page: Page,
  question: string,
  shoot: (showMs: number) => Promise<void>,
): Promise<void> {
  const box = page.getByRole("textbox").first();
  await shoot(800);
  for (const word of question.split(" ")) {
    await box.pressSequentially(`${word} `);
    await shoot(120);
  }
  await box.press("Enter");
  const charge = page.getByText(/\$0\.0/).first();
  while (!(await charge.isVisible())) await shoot(stepMs);
  await shoot(2_500);
}
