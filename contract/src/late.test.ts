import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { late } from "./late.ts";

describe("a schema that is made late", () => {
  test("is not made before it is used, and made only once", () => {
    let made = 0;
    const schema = late(() => {
      made += 1;
      return z.object({ name: z.string() });
    });
    expect(made).toBe(0);
    expect(schema.parse({ name: "a", more: 1 })).toEqual({ name: "a" });
    expect(schema.safeParse({}).success).toBe(false);
    expect(made).toBe(1);
  });

  test("stands wherever a schema stands: in another one, extended, spread, as JSON schema", () => {
    const name = late(() => z.string().max(3));
    const fields = late(() => ({ name }));
    const schema = late(() => z.object(fields));
    const more = late(() => schema.extend({ age: z.number().optional() }));
    const list = z.array(more);
    expect(list.parse([{ name: "abc", age: 1 }])).toEqual([{ name: "abc", age: 1 }]);
    expect(list.safeParse([{ name: "abcd" }]).success).toBe(false);
    expect(Object.keys({ ...fields })).toEqual(["name"]);
    expect(schema instanceof z.ZodObject).toBe(true);
    const plain = z.object({ name: z.string().max(3) });
    expect(z.toJSONSchema(schema)).toEqual(z.toJSONSchema(plain));
  });

  test("is what every object, list and map of the contract is, so that no thread makes them all", () => {
    const names = readdirSync(import.meta.dir).filter((name) => /^[^.]+\.ts$/.test(name));
    const kinds = "z\\.(?:object|looseObject|array|record|discriminatedUnion)\\(";
    const eager = new RegExp(
      `^(?:(?:export )?const \\w+ =\\s+|  (?:input|output|extras): )${kinds}`,
      "gm",
    );
    const found = names.flatMap((name) => {
      const text = readFileSync(join(import.meta.dir, name), "utf8");
      return [...text.matchAll(eager)].map(([line]) => `${name}: ${line}`);
    });
    expect(names).toContain("tokens.ts");
    expect(found).toEqual([]);
  });
});
