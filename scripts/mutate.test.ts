import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { mutants, mutate } from "./mutate.mjs";

const top = join(import.meta.dir, "..");

test("each mutant changes a line that stands in its file once, and names suites that exist", () => {
  expect(mutants.length).toBeGreaterThan(30);
  for (const mutant of mutants) {
    expect(mutate(mutant), mutant.name).toContain(mutant.to);
    for (const suite of mutant.suite) expect(existsSync(join(top, suite)), suite).toBeTrue();
  }
});
