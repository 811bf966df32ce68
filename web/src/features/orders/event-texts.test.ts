import { expect, test } from "bun:test";
import type { T } from "#i18n/t.ts";
import { sourceName, verdictName } from "./event-texts.ts";

// Safe cast: the texts are not looked at, only which of them is chosen.
const t = ((key: string, values?: { readonly why: string }) =>
  values === undefined ? key : `${key} ${values.why}`) as unknown as T;

test("what arrived about an order is told in the reader's words, and new words stay as they are", () => {
  expect(verdictName("credited", t)).toBe("orders.verdictCredited");
  expect(verdictName("another amount of money", t)).toBe("orders.verdictOtherMoney");
  expect(verdictName("refused: the signature is wrong", t)).toBe(
    "orders.verdictRefused the signature is wrong",
  );
  expect(verdictName("refused: wrong signature", t)).toBe(
    "orders.verdictRefused orders.whyWrongSignature",
  );
  expect(verdictName("something new", t)).toBe("something new");
  expect([sourceName("poll", t), sourceName("elsewhere", t)]).toEqual([
    "orders.sourcePoll",
    "elsewhere",
  ]);
});
