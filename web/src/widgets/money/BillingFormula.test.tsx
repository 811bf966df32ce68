import { render } from "#testing/dom.ts";
import { expect, test } from "bun:test";
import { BillingFormula, type Formula } from "./BillingFormula.tsx";

const formula: Formula = {
  kind: "tokens",
  modelRatio: "1.25",
  groupRatio: "1",
  long: undefined,
  tier: undefined,
  hours: undefined,
  extras: [],
  terms: [
    {
      bucket: "input",
      count: 1_000,
      isOwn: false,
      factor: "1",
      perMillion: "2.5",
      quota: "1250",
    },
  ],
  exact: "1250",
  due: 1_250,
  charged: 1_250,
  writeOff: 0,
  isKept: true,
};

function textOf(part: Partial<Formula>): string {
  // Safe cast: tests replace only fields that both kinds of formula have.
  return render(<BillingFormula formula={{ ...formula, ...part } as Formula} />).container
    .innerText;
}

// Operators show the formula to customers who doubt a bill, so it must not claim to match a charge
// that it does not match.
test("O-435: a formula that gives the charge says so, any other says what differs", () => {
  expect(textOf({})).toContain("与费用一致");
  const differing = textOf({ charged: 1_300 });
  expect(differing).not.toContain("与费用一致");
  expect(differing).toContain("1,250");
  expect(differing).toContain("1,300");
  expect(differing).toContain("50");
});

test("a written-off amount is shown, and is no difference", () => {
  const text = textOf({ charged: 1_000, writeOff: 250 });
  expect(text).toContain("部分核销");
  expect(text).toContain("250");
});

test("a formula from the row's own ratios says that it is one", () => {
  expect(textOf({ isKept: false })).toContain("没有保存价格版本");
});

test("T25: a formula with the price of long prompts says so", () => {
  expect(textOf({})).not.toContain("长上下文");
  const long = { above: 200_000, ratio: "2", completion: "1.5" };
  const text = textOf({ long } as Partial<Formula>);
  expect(text).toContain("输入超过 200,000 Token，按长上下文价格");
});

test("T25: a formula with the price of a service tier says so", () => {
  expect(textOf({})).not.toContain("服务等级");
  const tier = { name: "priority", ratio: "2", cache: "3", completion: "1.5" };
  expect(textOf({ tier } as Partial<Formula>)).toContain("服务等级 priority：输入的系数已乘 2");
});
