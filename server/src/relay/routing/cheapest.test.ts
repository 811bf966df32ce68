import { expect, test } from "bun:test";
import { unitPrice } from "@tollgate/contract/money/charge.ts";
import { testPrices } from "#relay/testing/prices.ts";
import { testChannel } from "#relay/testing/relay.ts";
import { firstInOrder } from "#relay/places/order.ts";
import { orderedTiers } from "./cheapest.ts";

const baseUrl = "https://example.com";

/** A channel that charges so many times what the price list says. */
function charging(id: number, ratio: string | null) {
  const list = { ...testPrices, GroupRatio: { default: ratio ?? "1" } };
  const priceOf = (model: string) => unitPrice(list, model, "default");
  return testChannel({ id, baseUrl, costs: ratio === null ? null : { version: 1, priceOf } });
}

test("the cheapest of one priority come first, never before a higher priority, and equals share", () => {
  const top = [charging(1, "2")];
  const rest = [charging(2, null), charging(3, "1"), charging(4, "0.5"), charging(5, "0.5")];
  const tiers = [
    { priority: 5, channels: top },
    { priority: 1, channels: rest },
  ];
  const ids = (byModel: Record<string, "off" | "on">, byGroup: Record<string, "off" | "on">) => {
    const options = { cheapestByModel: byModel, cheapestByGroup: byGroup };
    const ordered = orderedTiers(tiers, { group: "default", model: "m", options });
    return ordered.map(({ channels }) => channels.map(({ id }) => id));
  };
  const asTheyWere = [[1], [2, 3, 4, 5]];

  expect(ids({}, {})).toEqual(asTheyWere);
  expect(ids({ m: "on" }, {})).toEqual([[1], [4, 5], [3], [2]]);
  expect(ids({}, { default: "on" })).toEqual([[1], [4, 5], [3], [2]]);
  expect(ids({ m: "off" }, { default: "on" })).toEqual(asTheyWere);
  const equals = rest.slice(2);
  const used = new Set(Array.from({ length: 50 }, (_, at) => firstInOrder(equals, at * 4)?.id));
  expect([...used].toSorted((one, other) => Number(one) - Number(other))).toEqual([4, 5]);
});
