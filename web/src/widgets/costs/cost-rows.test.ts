import { expect, test } from "bun:test";
import type { ChannelCosts } from "@tollgate/contract/endpoints/costs.ts";
import { costsToSend, typedIn } from "./cost-rows.ts";

const costs: ChannelCosts = {
  version: 3,
  created_at: 1,
  created_by: 1,
  username: "root",
  factor: "",
  catalogue: "",
  models: {
    m: { tokens: { input: "2", reasoning: "9" } },
    task: { perCall: "0.1", task: { per: "second", sizes: {}, modes: {} } },
    gone: { perCall: "3" },
  },
  effective: ["m", "n", "task"].map((model) => ({ model, from: null, prices: null })),
};

test("what is typed is sent; what the table does not show stays as it was", () => {
  const typed = typedIn(costs);
  expect(typed).toMatchObject({ m: { input: "2" }, n: { input: "" }, task: { perCall: "0.1" } });
  expect(costsToSend(costs, typed)).toEqual({
    ...costs.models,
    m: { tokens: { input: "2", reasoning: "9" } },
  });
  const changed = { ...typed, m: { input: "", output: "" }, n: { input: "1", output: "4" } };
  expect(costsToSend(costs, changed)).toEqual({
    n: { tokens: { input: "1", output: "4" } },
    task: { perCall: "0.1", task: { per: "second", sizes: {}, modes: {} } },
    gone: { perCall: "3" },
  });
});
