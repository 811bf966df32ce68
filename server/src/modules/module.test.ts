import { expect, test } from "bun:test";
import { openInOrder } from "./module.ts";

/**
 * Opens modules with these needs and returns them in the order of opening. The face of each module
 * is its own name; a module whose name starts with `faceless` has none.
 */
function openAll(needsOf: Readonly<Record<string, readonly string[]>>) {
  const order: string[] = [];
  const modules = Object.fromEntries(
    Object.entries(needsOf).map(([name, needs]) => [
      name,
      {
        needs,
        open(given: { readonly needs: object }) {
          order.push(`${name}(${Object.values(given.needs).join(" ")})`);
          return name.startsWith("faceless") ? {} : { face: name };
        },
      },
    ]),
  );
  openInOrder(modules, (_, needs) => ({ needs }));
  return order;
}

test("each module opens once, after those it needs, and gets their faces", () => {
  expect(openAll({ a: ["c"], b: ["a", "c"], c: [] })).toEqual(["c()", "a(c)", "b(a c)"]);
});

test("a circle of modules stops the start and is named", () => {
  expect(() => openAll({ a: [], b: ["c"], c: ["d"], d: ["b"] })).toThrow(
    "Modules need one another in a circle: b → c → d → b",
  );
});

test("a need that no module provides stops the start and is named", () => {
  expect(() => openAll({ a: ["b"] })).toThrow("Module a needs b, which is not in modules.ts");
  expect(() => openAll({ a: ["faceless"], faceless: [] })).toThrow(
    "Module a needs faceless, which has no face for other modules",
  );
});
