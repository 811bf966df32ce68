/** What the playground's journeys share: models, a user with quota, and steps on the page. */

import { expect, type Page, type Request } from "@playwright/test";
import { type Account, type Api, signIn } from "./product.ts";
import { addUser, type Enter, type Site } from "./support.ts";

/** How the demo upstream answers a call of each model. */
const scripts = {
  "play-slow": { events: 200, eventDelayMs: 40, piece: "**注意：**网关按量计费。\n\n" },
  "play-break": {
    events: 20,
    eventDelayMs: 20,
    errorEvent: { after: 6, error: { message: "overloaded", type: "server_error", code: "busy" } },
  },
  "play-picture": { events: 1, piece: "![cat](https://pictures.example/p.gif?q=secret)" },
  "play-think": { events: 10, reasoningEvents: 6, eventDelayMs: 20 },
} as const;

/** Makes a user with a balance, and a channel with the scripted models and the default model. */
export async function preparePlayground(site: Site): Promise<Api> {
  for (const [model, script] of Object.entries(scripts)) {
    const url = `${site.upstream}/__demo/scripts/${model}`;
    await fetch(url, { method: "PUT", body: JSON.stringify(script) });
  }
  const { root } = site.api;
  const names = Object.keys(scripts);
  const player: Account = { username: "player", password: "password of player" };
  // The product outlives its journeys, so an earlier one may have prepared it already.
  const made = (await root.call("GET", "/api/channel/search?keyword=playground")) as object[];
  if (made.length > 0) return await signIn(site.origin, player);
  await root.call("POST", "/api/channel/", {
    name: "playground",
    // This channel comes before all others, because channels of other journeys may serve the same
    // model with another answer.
    priority: 100,
    type: 1,
    key: "sk-upstream",
    base_url: site.upstream,
    models: ["gpt-4o-mini", ...names].join(","),
    group: "default",
    model_mapping: JSON.stringify({ "gpt-4o-mini": site.model }),
  });
  const options = (await root.call("GET", "/api/option/")) as { key: string; value: string }[];
  const ratios = JSON.parse(options.find(({ key }) => key === "ModelRatio")?.value ?? "{}");
  const value = JSON.stringify({
    ...ratios,
    ...Object.fromEntries(names.map((name) => [name, 1])),
  });
  await root.call("PUT", "/api/option/", { key: "ModelRatio", value });
  return await addSpender(site, player.username, 1_000_000);
}

export async function addSpender(site: Site, name: string, quota: number): Promise<Api> {
  const account: Account = await addUser(site.api.root, name);
  const api = await signIn(site.origin, account);
  const change = { id: api.user.id, quota_delta: quota };
  if (quota > 0) await site.api.root.call("PUT", "/api/user/", change);
  return api;
}

export async function openAs(
  page: Page,
  enter: Enter,
  api: Api,
  path = "/playground",
): Promise<void> {
  await enter(api);
  await page.goto(path);
}

export const box = (page: Page) => page.getByRole("textbox", { name: "提问内容" });
export const panel = (page: Page) => page.getByRole("complementary", { name: "参数" });
export const answer = (page: Page, model = "gpt-4o-mini") =>
  page.getByRole("article", { name: model }).last();

export async function ask(page: Page, text: string): Promise<void> {
  await expect(panel(page).getByLabel("模型")).not.toHaveValue("");
  await box(page).fill(text);
  await box(page).press("Enter");
}

export function watchCalls(page: Page): Request[] {
  const calls: Request[] = [];
  page.on("request", (request) => {
    if (request.url().endsWith("/pg/chat/completions")) calls.push(request);
  });
  return calls;
}

/** Returns a number once it has stopped changing. */
export async function settled(read: () => Promise<number>): Promise<number> {
  let last = Number.NaN;
  await expect
    .poll(async () => {
      const before = last;
      last = await read();
      return last === before;
    })
    .toBe(true);
  return last;
}
