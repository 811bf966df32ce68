import { expect, test } from "bun:test";
import { blankCost } from "./reported-cost.ts";

/** Returns the usage object as a client gets it, beside which nothing has moved. */
function passed(usage: string): string {
  const text = `{"usage": ${usage}, "id": "x"}`;
  const bytes = new TextEncoder().encode(text);
  const start = text.indexOf(usage);
  blankCost(bytes, start, start + usage.length);
  const written = new TextDecoder().decode(bytes);
  expect(written).toHaveLength(text.length);
  expect(written.slice(start + usage.length)).toBe(', "id": "x"}');
  expect(JSON.parse(written)).toMatchObject({ id: "x" });
  return written.slice(start, start + usage.length);
}

const cost = '"cost": 0.25';
const details = '"cost_details":{"upstream":[1,{"a":2}]}';
const ticks = '"cost_in_usd_ticks":7';

test("a cost is taken out of the usage without a trace, wherever it stands", () => {
  for (const [fields, left] of [
    [[cost], {}],
    [[cost, '"a":1'], { a: 1 }],
    [['"a":1', cost], { a: 1 }],
    [['"a":1', cost, '"b": {"cost":2}'], { a: 1, b: { cost: 2 } }],
    [[cost, details, ticks, '"a":1'], { a: 1 }],
    [['"a":1', cost, details, ticks], { a: 1 }],
    [[cost, '"a":1', details, '"b":2', ticks], { a: 1, b: 2 }],
    [[cost, details, ticks], {}],
    [['"costs":1', '"a":"cost"'], { costs: 1, a: "cost" }],
  ] as const) {
    for (const [open, join, close] of [
      ["{", ",", "}"],
      ["{\n ", " ,\n ", "\n}"],
    ] as const) {
      const usage = passed(open + fields.join(join) + close);
      expect(JSON.parse(usage), usage).toEqual(left);
    }
  }
  for (const usage of ["{}", "null", "[]", "{ }"]) expect(passed(usage)).toBe(usage);
});
