import { expect, test } from "bun:test";
import { isOutOfConnections, poolMin, poolShares, poolUsual } from "./pool-shares.ts";

test("a node never opens more connections than its pool, and writers have theirs however small it is", () => {
  for (let total = poolMin; total <= 60; total += 1) {
    const { writer, aside, apart, listener, reader } = poolShares(total);
    expect(writer + aside + apart + listener + 2 * reader).toBeLessThanOrEqual(total);
    expect(Math.min(writer, aside, apart, reader)).toBeGreaterThanOrEqual(1);
  }
  expect(poolShares()).toEqual(poolShares(poolUsual));
});

test("what a server says when it has no connection left is understood", () => {
  for (const text of [
    "sorry, too many clients already",
    "remaining connection slots are reserved for roles with the SUPERUSER attribute",
    'too many connections for role "tollgate"',
    'too many connections for database "tollgate"',
  ]) {
    expect(isOutOfConnections(`error: ${text}`)).toBe(true);
  }
  expect(isOutOfConnections("connect ECONNREFUSED 127.0.0.1:5432")).toBe(false);
});
