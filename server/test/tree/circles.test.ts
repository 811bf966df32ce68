/**
 * Circles of imports, of types as well: the linter sees those of values only. Both lists may only
 * become shorter, and what is in no circle any more leaves them.
 */

import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { findCircularNouns, readNouns } from "./nouns.ts";
import { readTree } from "./sources.ts";
import { findCircles } from "./type-circles.ts";

const product = readTree(join(import.meta.dir, "../../..")).filter(
  ({ path }) => path.startsWith("server/src/") && !/\.test\.ts$|\/testing\//.test(path),
);

/** The files that import one another in a circle. */
const circularFiles: readonly string[] = [
  "formats/bedrock-invoke/translation.ts",
  "formats/bedrock-invoke/upstream/read-answer.ts",
  "formats/format.ts",
  "formats/later-turns.ts",
  "network/socks.ts",
  "network/tunnel.ts",
];

/** The nouns of `modules/` that depend on one another in a circle. */
const circularNouns: readonly string[] = [
  "affiliates",
  "agents",
  "channel-statistics",
  "channels",
  "configuration",
  "costs",
  "dashboard",
  "demo-calls",
  "installation",
  "ledger",
  "logs",
  "mail",
  "notifications",
  "options",
  "pricing",
  "second-factor",
  "sessions",
  "sign-in",
  "tasks",
  "tokens",
  "users",
];

describe("circles", () => {
  test("no files import one another in a circle but those listed", () => {
    const found = findCircles(product)
      .flat()
      .map((path) => path.replace(/^server\/src\//, ""))
      .toSorted();

    expect(product.length).toBeGreaterThan(500);
    expect(found).toEqual([...circularFiles]);
  });

  test("no nouns depend on one another in a circle but those listed", () => {
    const arrows = readNouns(product);

    expect(arrows.size).toBeGreaterThan(30);
    expect(findCircularNouns(arrows)).toEqual([...circularNouns]);
  });

  // Who signs in and with what: each of these imports those before it and none after it.
  test("sign-in, new accounts, identities and registration depend on one another one way", () => {
    const order = ["sign-in", "new-accounts", "identities", "registration"];
    const arrows = readNouns(product);
    const upward = order.flatMap((noun, place) =>
      order.slice(place + 1).filter((above) => arrows.get(noun)?.includes(above) === true),
    );

    expect(order.filter((noun) => !arrows.has(noun))).toEqual([]);
    expect(upward).toEqual([]);
  });
});
