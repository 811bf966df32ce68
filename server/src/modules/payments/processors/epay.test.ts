import { expect, test } from "bun:test";
import vectors from "./epay-vectors.json";
import { signEpay } from "./epay.ts";

test("epay: signatures equal those of another implementation", () => {
  for (const { fields, sign } of vectors.vectors) {
    expect(signEpay(Object.entries(fields), vectors.key)).toBe(sign);
  }
  expect(vectors.vectors).toHaveLength(4);
});
