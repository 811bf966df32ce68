import { fireEvent, screen, waitFor } from "#testing/dom.ts";
import { expect, test } from "bun:test";
import { setLanguage } from "#i18n/t.ts";
import { renderAt } from "#testing/render.tsx";
import { ratioOf } from "./dollar-prices.ts";
import { ModelSheet } from "./ModelSheet.tsx";
import type { PriceRow } from "./price-table.ts";

await setLanguage("zh");

test("a published price becomes the ratio that charges exactly that price", () => {
  expect(ratioOf("2.5", "500000")).toBe("1.25");
  expect(ratioOf("0.15", "500000")).toBe("0.075");
  expect(ratioOf("0", "500000")).toBe("0");
  // The third argument is the model ratio, to which the completion ratio is relative.
  expect(ratioOf("10", "500000", "1.25")).toBe("4");
  // A ratio with endless decimals is rounded to the number of decimal places that is stored.
  expect(ratioOf("1", "500000", "1.5")).toBe("0.333333333333");
  expect(ratioOf("2", "500000", "1.5")).toBe("0.666666666667");
  for (const none of ["", "2,5", "abc", "-1"]) expect(ratioOf(none, "500000")).toBeUndefined();
  expect(ratioOf("1", "500000", "0")).toBeUndefined();
});

async function open(row: PriceRow): Promise<{ readonly applied: PriceRow[] }> {
  const applied: PriceRow[] = [];
  await renderAt("/setting", () => (
    <ModelSheet
      row={row}
      isNew={false}
      taken={new Set()}
      quotaPerUnit="500000"
      groups={{ default: "1", vip: "0.5" }}
      savesAtOnce={false}
      onApply={async (next) => void applied.push(next)}
      onClose={() => {}}
    />
  ));
  await screen.findByRole("textbox", { name: "输入价格" });
  return { applied };
}

const field = (name: string) => screen.getByRole<HTMLInputElement>("textbox", { name });
const type = (name: string, value: string) => fireEvent.change(field(name), { target: { value } });

test("prices typed in dollars are saved as ratios, and ratios show as dollars", async () => {
  const { applied } = await open({ model: "m", prices: { ModelRatio: "1", CompletionRatio: "3" } });
  expect([field("输入价格").value, field("输出价格").value]).toEqual(["2", "6"]);

  type("输入价格", "2.5");
  type("输出价格", "10");
  expect([field("模型倍率（输入）").value, field("补全倍率（输出）").value]).toEqual(["1.25", "4"]);
  // A typed output price stays the same when the input price is changed.
  type("输入价格", "5");
  expect(field("输出价格").value).toBe("10");
  expect(field("补全倍率（输出）").value).toBe("2");
  // Typing a ratio changes the price in dollars.
  type("模型倍率（输入）", "0.5");
  await waitFor(() => expect(field("输入价格").value).toBe("1"));
  expect(field("补全倍率（输出）").value).toBe("2");

  // An unfinished amount does not change the ratio.
  type("输入价格", "1,");
  expect(field("模型倍率（输入）").value).toBe("0.5");
  fireEvent.click(screen.getByRole("button", { name: "确定" }));
  await waitFor(() =>
    expect(applied).toEqual([{ model: "m", prices: { ModelRatio: "0.5", CompletionRatio: "2" } }]),
  );
});

test("T25: the example call is charged by the price of long prompts while it is typed", async () => {
  const { applied } = await open({ model: "m", prices: { ModelRatio: "1", CompletionRatio: "4" } });
  const shown = () => screen.getByRole("status").textContent;
  const short = shown();
  fireEvent.click(screen.getByRole("button", { name: /长上下文/, expanded: false }));
  type("输入超过（Token）", "1,000");
  type("输入价格系数", "2");
  type("输出价格系数", "1.5");
  // The example has 1,000 input tokens, and is long from 1,001 on.
  await waitFor(() => expect(field("输出价格系数").value).toBe("1.5"));
  expect(shown()).toBe(short);
  type("输入超过（Token）", "999");
  // The last line is vip's: half of 1,000 × 2 + 500 × 4 × 1.5 units in place of 1,000 + 500 × 4.
  await waitFor(() => expect(shown()).not.toBe(short));
  expect([short, shown()].map((text) => text?.match(/[\d,.]+$/)?.[0])).toEqual(["0.003", "0.005"]);

  fireEvent.click(screen.getByRole("button", { name: "确定" }));
  const long = { LongAbove: "999", LongRatio: "2", LongCompletion: "1.5" };
  await waitFor(() =>
    expect(applied).toEqual([
      { model: "m", prices: { ModelRatio: "1", CompletionRatio: "4", ...long } },
    ]),
  );
});
