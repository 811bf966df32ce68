/** Fills lists as in real use: with the long model names of today, and amounts of every size. */

import type { Page } from "@playwright/test";
import type { Site } from "./support.ts";

/**
 * A model name of 46 characters, in the form used by services that host models of other vendors.
 */
export const longModel = "accounts/fireworks/models/qwen3-235b-a22b-2507";

/** A channel name of 46 characters. */
const longChannel = "Anthropic, enterprise agreement of the EU team";

/** A token name of 30 characters, the most that is allowed. */
const longKey = "production key, mobile app 2.0";

const models = [longModel, "claude-sonnet-4-5-20250929", "gpt-4o-mini"];

/** Adds a channel, a token and some calls. Returns a function that removes them. */
export async function fillLists(site: Site): Promise<() => Promise<void>> {
  const { root } = site.api;
  for (const model of models) {
    await fetch(`${site.upstream}/__demo/scripts/${encodeURIComponent(model)}`, {
      method: "PUT",
      body: JSON.stringify({ promptTokens: 125_120, events: 310 }),
    });
  }
  const ratios = await optionOf(site, "ModelRatio");
  const priced = { ...(JSON.parse(ratios) as Record<string, number>), [longModel]: 1.25 };
  await root.call("PUT", "/api/option/", { key: "ModelRatio", value: JSON.stringify(priced) });
  await root.call("POST", "/api/channel/", {
    name: longChannel,
    type: 1,
    models: models.join(","),
    base_url: site.upstream,
    key: "sk-upstream",
    group: "default",
    status: 1,
  });
  // Safe cast: the contract of `createToken`.
  const { id, key } = (await root.call("POST", "/api/token/", {
    name: longKey,
    unlimited_quota: true,
  })) as { id: number; key: string };
  for (const model of [...models, ...models]) await call(site, key, model);
  return async () => {
    await root.call("PUT", "/api/option/", { key: "ModelRatio", value: ratios });
    await root.call("DELETE", `/api/token/${id}`);
    // Safe cast: the contract of `listChannels`.
    const channels = (await root.call("GET", "/api/channel/?p=0&page_size=100")) as readonly {
      readonly id: number;
      readonly name: string;
    }[];
    for (const channel of channels) {
      if (channel.name === longChannel) await root.call("DELETE", `/api/channel/${channel.id}`);
    }
  };
}

async function optionOf(site: Site, key: string): Promise<string> {
  // Safe cast: the contract of `listOptions`.
  const listed = (await site.api.root.call("GET", "/api/option/")) as readonly {
    readonly key: string;
    readonly value: string;
  }[];
  return listed.find((option) => option.key === key)?.value ?? "{}";
}

async function call(site: Site, key: string, model: string): Promise<void> {
  const answer = await fetch(`${site.origin}/v1/chat/completions`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${key.startsWith("sk-") ? key : `sk-${key}`}`,
      "content-type": "application/json",
    },
    body: JSON.stringify({ model, messages: [{ role: "user", content: "hi" }], stream: true }),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${model}: ${text}`);
}

/**
 * Finds what is wrong with the tables of a page: columns outside the frame, or cut texts that must
 * not be cut.
 */
export function tableFaults(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const faults: string[] = [];
    const tables = [
      ...document.querySelectorAll<HTMLElement>("main table[aria-rowcount], main table[aria-busy]"),
    ];
    if (tables.length === 0) faults.push("there is no table");
    for (const table of tables) {
      const frame = table.parentElement ?? table;
      const name = table.getAttribute("aria-label") ?? "";
      if (table.offsetWidth > frame.clientWidth) {
        faults.push(`${name}: ${table.offsetWidth} px in ${frame.clientWidth} px`);
      }
      const left = frame.parentElement?.querySelector<HTMLElement>("[data-left-ranks]");
      for (const rank of left?.dataset["leftRanks"]?.split(" ") ?? []) {
        if (Number(rank) <= 2) faults.push(`${name}: a column of rank ${rank} has no room`);
      }
      const heads = [...table.querySelectorAll<HTMLElement>(":scope > thead th")];
      const edge = frame.getBoundingClientRect().left + frame.clientWidth;
      for (const [index, head] of heads.entries()) {
        const { right, width } = head.getBoundingClientRect();
        if (right > edge + 1) faults.push(`${name}: ${head.textContent} ends at ${right} px`);
        const cells = [...table.querySelectorAll<HTMLTableRowElement>("tr[data-row]")].flatMap(
          (row) => {
            // A cell may take the room of several columns, and then has no width to be held to.
            let column = 0;
            for (const cell of row.cells) {
              if (column === index) return cell.colSpan === 1 ? [cell] : [];
              column += cell.colSpan;
            }
            return [];
          },
        );
        const named = cells[0]?.hasAttribute("data-primary") === true;
        if (named && width < 160) faults.push(`${name}: names have ${width} px`);
        if (Number(head.dataset["rank"]) > 2 || named) continue;
        for (const cell of cells) {
          if (cell.scrollWidth > cell.clientWidth + 1) {
            faults.push(`${name}: ${head.textContent} of a row is cut: ${cell.innerText}`);
          }
        }
      }
    }
    return faults;
  });
}

/**
 * Finds the buttons and links of a page that are too small for a finger: under 32 px in either
 * direction.
 */
export function smallTargets(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const place = document.querySelector("[role=dialog]") ?? document.querySelector("main");
    const targets = (place ?? document).querySelectorAll<HTMLElement>(
      ":is(a[href], button, input, select, textarea, [role=combobox], [role=tab])",
    );
    return [...targets].flatMap((target) => {
      // A checkbox or a switch also reacts to a press on its label.
      const pressed = target.closest<HTMLElement>("label") ?? target;
      const { width, height } = pressed.getBoundingClientRect();
      const halo = getComputedStyle(target, "::after");
      const reach = halo.position === "absolute" ? -2 * Number.parseFloat(halo.top) : 0;
      const isSeen = target.checkVisibility({ checkOpacity: true }) && width > 1;
      if (!isSeen || (height + Math.max(0, reach) >= 32 && width >= 32)) return [];
      return [`${target.outerHTML.slice(0, 160)}: ${width} × ${height}`];
    });
  });
}

/**
 * Returns the texts of chosen filters, and of the lines that name columns without room, that are
 * cut.
 */
export function cutWords(page: Page): Promise<string[]> {
  return page
    .locator("main :is([role=combobox] .truncate, [data-left-ranks])")
    .evaluateAll((parts) =>
      parts
        .filter((part) => part.scrollWidth > part.clientWidth + 1)
        .map((part) => part.textContent ?? ""),
    );
}
