import { act, fireEvent, screen, waitFor, within } from "#testing/dom.ts";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { afterEach, expect, test } from "bun:test";
import { type Bucket, charge, noUsage, unitPrice } from "@tollgate/contract/money/charge.ts";
import { failingDemoModel } from "@tollgate/contract/endpoints/demo-calls.ts";
import { defaultPriceList } from "@tollgate/contract/money/default-prices.ts";
import { type PricingRow, quotaType } from "@tollgate/contract/endpoints/prices.ts";
import { keepSession } from "#api/session.ts";
import { statusStore } from "#api/status.ts";
import { renderAt } from "#testing/render.tsx";
import { serve } from "#testing/serve.ts";
import { statusWith } from "#widgets/testing/status.ts";
import { ratioTone } from "#widgets/money/ratio-tone.ts";
import {
  costOf,
  dollarPlaces,
  modelPrices,
  type Pricing,
  showDollars,
} from "#widgets/money/model-prices.ts";
import { findPrices, pricingSearch } from "./pricing.search.ts";
import { PricingScreen } from "./PricingScreen.tsx";

let stop = () => {};
afterEach(() => {
  stop();
  keepSession(null);
});

const groups = ["default", "vip"];

function tokensRow(model: string, ratio: number, completion: number): PricingRow {
  return {
    model_name: model,
    quota_type: quotaType.enum.tokens,
    model_ratio: ratio,
    model_price: 0,
    completion_ratio: completion,
    owner_by: "",
    enable_groups: groups,
  };
}

const pricing: Pricing = {
  rows: [
    { ...tokensRow("gpt-4o", 1.25, 4), cache_ratio: 0.5, audio_ratio: 16, image_ratio: 1.5 },
    tokensRow("cheap", 0.000_000_1, 1),
    { ...tokensRow("vip-only", 37.5, 1.5), enable_groups: ["vip"] },
    {
      ...tokensRow("dall-e-3", 0, 0),
      quota_type: quotaType.enum.call,
      model_price: 0.04,
    },
  ],
  groupRatios: { default: 1, vip: 0.8 },
  groups: { default: "默认分组", vip: "用户分组" },
  unpriced: [{ model_name: "new-model", enable_groups: ["default"] }],
};

test("O-527 O-528 O-529: a million tokens are charged exactly the shown price", () => {
  const list = {
    ...defaultPriceList,
    QuotaPerUnit: "500000",
    GroupRatio: { default: "1", vip: "0.8" },
    ModelRatio: { "gpt-4o": "1.25", "vip-only": "37.5", cheap: "0.0000001" },
    CompletionRatio: { "gpt-4o": "4", "vip-only": "1.5" },
    CacheRatio: { "gpt-4o": "0.5" },
    AudioRatio: { "gpt-4o": "16" },
    ImageRatio: { "gpt-4o": "1.5" },
    ModelPrice: { "dall-e-3": "0.04" },
  };
  const million = 1_000_000;
  const unit = 10n ** BigInt(dollarPlaces);
  let compared = 0;
  for (const group of groups) {
    for (const row of modelPrices(pricing, group, 500_000)) {
      const price = unitPrice(list, row.model, group);
      if (row.kind === "unpriced" || price === undefined) continue;
      const shown =
        row.kind === "call"
          ? [[row.perCall, { ...noUsage, input: 1 }] as const]
          : (Object.keys(noUsage) as Bucket[]).map(
              (bucket) =>
                [row.rates[bucket] * BigInt(million), { ...noUsage, [bucket]: million }] as const,
            );
      for (const [dollars, usage] of shown) {
        const units = Number((dollars * 500_000n + unit / 2n) / unit);
        expect([row.model, group, charge(price, usage)]).toEqual([
          row.model,
          group,
          Math.max(1, units),
        ]);
        compared += 1;
      }
    }
  }
  // Ten kinds of tokens of three models and one price per call, in two groups.
  expect(compared).toBe(2 * (3 * 10 + 1));
});

test("prices show the digits that people read, and say if there are more", () => {
  const dollars = (text: string): bigint => {
    const [whole = "", part = ""] = text.split(".");
    return BigInt(whole + part.padEnd(dollarPlaces, "0"));
  };
  expect(showDollars(dollars("2.5"))).toBe("$2.50");
  expect(showDollars(dollars("1234567"))).toBe("$1,234,567.00");
  expect(showDollars(dollars("0.000075"))).toBe("$0.000075");
  expect(showDollars(dollars("0.0000001234567"))).toBe("≈ $0.000000123457");
  expect(showDollars(dollars("0.333333333333333"))).toBe("≈ $0.333333");
  expect(showDollars(0n)).toBe("$0.00");
});

test("the demo's model that only fails is in no list of prices, here or on the home page", () => {
  const failing = { ...pricing.unpriced[0], model_name: failingDemoModel, enable_groups: [] };
  const rows = pricing.rows.map((row) => ({ ...row, model_name: failingDemoModel }));
  expect(modelPrices({ ...pricing, rows, unpriced: [failing] }, "default", 500_000)).toEqual([]);
});

test("filters and order come from the address", () => {
  const rows = modelPrices(pricing, "default", 500_000);
  const found = (address: object) =>
    findPrices(rows, pricingSearch.parse(address)).map(({ model }) => model);

  expect(found({})).toEqual(["cheap", "dall-e-3", "gpt-4o", "new-model", "vip-only"]);
  expect(found({ keyword: "GPT" })).toEqual(["gpt-4o"]);
  expect(found({ type: "call" })).toEqual(["dall-e-3"]);
  expect(found({ type: "unpriced" })).toEqual(["new-model"]);
  expect(found({ only: "group" })).toEqual(["cheap", "dall-e-3", "gpt-4o"]);
  expect(found({ sort: "-input" }).slice(0, 3)).toEqual(["vip-only", "gpt-4o", "cheap"]);
  expect(found({ sort: "input" }).slice(0, 3)).toEqual(["cheap", "gpt-4o", "vip-only"]);
  expect(found({ sort: "-model" })[0]).toBe("vip-only");
});

test("A-463 A-464 A-465 A-466: a group's ratio has the specification's colours", () => {
  expect([5.1, 5, 3.1, 3, 1.1, 1, 0.5].map(ratioTone)).toEqual([
    "danger",
    "warning",
    "warning",
    "info",
    "info",
    "success",
    "success",
  ]);
});

async function open(
  at: string,
  group: string | null,
  role: 1 | 10 = 1,
  { rows, groupRatios, unpriced }: Pricing = pricing,
) {
  const answer = { data: rows, group_ratio: groupRatios, usable_group: pricing.groups, unpriced };
  const server = serve({ "GET /api/pricing": answer });
  stop = server.stop;
  if (group !== null) {
    keepSession({ id: 7, username: "ann", display_name: "", role, status: 1, group });
  }
  const queries = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  const rendered = await renderAt(at, () => (
    <QueryClientProvider client={queries}>
      <PricingScreen />
    </QueryClientProvider>
  ));
  await screen.findByText("gpt-4o");
  return rendered;
}

const rowOf = (model: string): HTMLElement => {
  const row = screen.getByText(model).closest<HTMLElement>("[data-row]");
  if (row === null) throw new Error(`no row of ${model}`);
  return row;
};

test("A-291 O-520: a visitor sees the prices of the group default", async () => {
  await open("/pricing", null);
  expect(within(rowOf("gpt-4o")).getByText("$2.50")).toBeTruthy();
  expect(within(rowOf("gpt-4o")).getByText("$10.00")).toBeTruthy();
  expect(within(rowOf("dall-e-3")).getByText("$0.04 / 次")).toBeTruthy();
  expect(within(rowOf("vip-only")).getByText("此分组不可用")).toBeTruthy();
});

test("O-519 O-521: a user sees the prices of the own group, which is marked, and a model's groups", async () => {
  const { address } = await open("/pricing", "vip");
  expect(screen.getByText("vip ×0.8（我的分组）")).toBeTruthy();
  expect(within(rowOf("gpt-4o")).getByText("$2.00")).toBeTruthy();
  expect(within(rowOf("gpt-4o")).getByText("default")).toBeTruthy();
  fireEvent.click(screen.getByRole("button", { name: "每 1K" }));
  expect(await within(rowOf("gpt-4o")).findByText("$0.002")).toBeTruthy();
  expect(address()).toBe("/pricing?unit=K");
});

/** The first of two equal fields: the second is among the controls that a phone folds. */
function outputField(): HTMLElement {
  const [field] = screen.getAllByRole("textbox", { name: "输出 Token" });
  if (field === undefined) throw new Error("there is no field for output tokens");
  return field;
}

test("an unfolded model has its prices in all groups side by side, and what the typed call costs", async () => {
  act(() => {
    const status = statusWith({ display_in_currency: true, quota_per_unit: 500_000 });
    statusStore.write({ kind: "ready", status, error: null });
  });
  const { address } = await open("/pricing?tokens_in=2000&tokens_cached=1000", "vip");
  // 2,000 × 1.25 + 1,000 × 0.625 + 500 × 5 units, × 0.8 in this group.
  expect(within(rowOf("gpt-4o")).getByText("$0.009")).toBeTruthy();
  expect(within(rowOf("dall-e-3")).getByText("$0.032")).toBeTruthy();
  fireEvent.click(screen.getByRole("button", { name: /gpt-4o/, expanded: false }));
  const table = await screen.findByRole("region", { name: "gpt-4o 在各分组的价格" });
  expect(
    within(table)
      .getAllByRole("row")
      .map(({ textContent }) => textContent),
  ).toEqual([
    "计费项 / 1M Tokendefault ×1vip ×0.8",
    "输入$2.50$2.00",
    "缓存命中$1.25$1.00",
    "写入缓存（5 分钟）$3.125$2.50",
    "写入缓存（1 小时）$5.00$4.00",
    "图片输入$3.75$3.00",
    "音频输入$40.00$32.00",
    "输出$10.00$8.00",
    "音频输出$80.00$64.00",
    "示例费用$0.01125$0.009",
  ]);
  fireEvent.change(outputField(), {
    target: { value: "1000" },
  });
  fireEvent.blur(outputField());
  await waitFor(() => expect(address()).toContain("tokens_out=1000"));
  expect(within(table).getByText("$0.01625")).toBeTruthy();
});

/** The same prices, those of a model's long prompts among them. */
const withLong: Pricing = {
  ...pricing,
  rows: pricing.rows.map((row) =>
    row.model_name === "gpt-4o"
      ? { ...row, long_context: { above: 200_000, ratio: 2, completion_ratio: 1.5 } }
      : row,
  ),
};

test("T25: the prices of long prompts count for the example", () => {
  const [gpt] = modelPrices(withLong, "vip", 500_000).filter(({ model }) => model === "gpt-4o");
  if (gpt?.kind !== "tokens") throw new Error("no price");
  const [long] = gpt.long;
  expect(long?.above).toBe(200_000);
  const million = (bucket: Bucket) => showDollars((long?.rates[bucket] ?? 0n) * 1_000_000n);
  expect([million("input"), million("cacheRead"), million("output")]).toEqual([
    "$4.00",
    "$2.00",
    "$12.00",
  ]);
  expect(costOf(gpt, { ...noUsage, input: 200_000 })).toBe(200_000);
  expect(costOf(gpt, { ...noUsage, input: 200_001 })).toBe(400_002);
  expect(
    modelPrices(pricing, "vip", 500_000).some((row) => "long" in row && row.long.length > 0),
  ).toBe(false);
});

test("T33: hours, searches, steps and kinds of a model are converted exactly and shown", () => {
  const half = { ratio: "0.5", cache: "0.5", completion: "0.5" };
  const terms: Partial<Pricing["rows"][number]> = {
    long_context: {
      above: 5,
      ratio: 2,
      completion_ratio: 1,
      further: [{ above: 9, ratio: 3, completion_ratio: 1, cache_ratio: 1 }],
    },
    hour_prices: [{ from: "16:30", until: "00:30", ...half }],
    search_prices: { search: "10" },
    kind_prices: { reasoning: "7.123456789012", cacheAudio: "3" },
  };
  const rows = pricing.rows.map((row) =>
    row.model_name === "gpt-4o" ? { ...row, ...terms } : row,
  );
  const [gpt] = modelPrices({ ...pricing, rows }, "vip", 500_000).filter(
    ({ model }) => model === "gpt-4o",
  );
  if (gpt?.kind !== "tokens") throw new Error("no price");
  const input = costOf(gpt, { ...noUsage, input: 4 }) ?? 0;
  expect(costOf(gpt, { ...noUsage, input: 8 })).toBe(input * 4);
  expect(costOf(gpt, { ...noUsage, input: 12 })).toBe(input * 9);
  expect(costOf(gpt, { ...noUsage, input: 4, minute: 0 })).toBe(input / 2);
  expect(gpt.beside).toHaveLength(1);
  const searched = (costOf(gpt, { ...noUsage, input: 4, searches: 1 }) ?? 0) - input;
  expect(showDollars(gpt.beside[0]?.price ?? 0n)).toBe(
    `$${((searched * 1_000) / 500_000).toFixed(2)}`,
  );
  expect(gpt.hours.map(({ from, rates }) => [from, rates.input * 2n])).toEqual([
    ["16:30", gpt.rates.input],
  ]);
  expect(gpt.rates.reasoning).not.toBe(gpt.rates.output);
});

const withTiers: Pricing = {
  ...pricing,
  rows: pricing.rows.map((row) =>
    row.model_name === "gpt-4o"
      ? {
          ...row,
          service_tiers: [{ tier: "priority", ratio: 2, cache_ratio: 3, completion_ratio: 1.5 }],
        }
      : row,
  ),
};

test("T25: an unfolded model has the prices of its service tiers below the others", async () => {
  await open("/pricing", "vip", 1, withTiers);
  fireEvent.click(screen.getByRole("button", { name: /gpt-4o/, expanded: false }));
  const table = await screen.findByRole("region", { name: "gpt-4o 在各分组的价格" });
  const rows = within(table).getAllByRole("row");
  expect(rows.slice(-4, -1).map(({ textContent }) => textContent)).toEqual([
    "输入 priority$5.00$4.00",
    "缓存命中 priority$3.75$3.00",
    "输出 priority$15.00$12.00",
  ]);
  expect(screen.getByText(/服务等级/)).toBeTruthy();
});

test("T25: an unfolded model has the prices of its long prompts below the others", async () => {
  await open("/pricing", "vip", 1, withLong);
  fireEvent.click(screen.getByRole("button", { name: /gpt-4o/, expanded: false }));
  const table = await screen.findByRole("region", { name: "gpt-4o 在各分组的价格" });
  const rows = within(table).getAllByRole("row");
  expect(rows.slice(-4, -1).map(({ textContent }) => textContent)).toEqual([
    "输入 >200,000$5.00$4.00",
    "缓存命中 >200,000$2.50$2.00",
    "输出 >200,000$15.00$12.00",
  ]);
  expect(screen.getByText(/输入（含缓存）超过 200,000 Token/)).toBeTruthy();
});

test("a model without a price is said to have noUsage", async () => {
  await open("/pricing?group=default", "vip");
  expect(within(rowOf("new-model")).getByText("未定价")).toBeTruthy();
  expect(within(rowOf("gpt-4o")).getByText("$2.50")).toBeTruthy();
  // Only admins are told how many models have no price, because others cannot set prices.
  expect(screen.queryByText("有 1 个模型还没有价格")).toBeNull();
});

test("an admin is told how many models cannot be called because they have no price", async () => {
  await open("/pricing?group=default", "vip", 10);
  expect(screen.getByText("有 1 个模型还没有价格")).toBeTruthy();
});
