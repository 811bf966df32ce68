import { expect, test } from "bun:test";
import type { JsonObject } from "#base/json.ts";
import { defaultSampling, noHints, textPart } from "#canonical/request.ts";
import { writeRequest } from "./write-request.ts";
import { openDialect } from "./schema.ts";

const write = (schema: JsonObject): JsonObject => openDialect().write(schema);
const refer = (name: string): JsonObject => ({ $ref: `#/$defs/${name}` });

test("a schema that refers to itself is written once, however often it does so", () => {
  const names = Array.from({ length: 10 }, (_, index) => `p${index}`);
  const node = {
    type: "object",
    properties: Object.fromEntries(names.map((name) => [name, refer("node")])),
  };
  const written = write({ ...refer("node"), $defs: { node } });

  expect(written).toEqual({
    type: "OBJECT",
    properties: Object.fromEntries(names.map((name) => [name, { type: "OBJECT" }])),
  });
  // This one says nothing at all.
  expect(write({ allOf: [refer("a")], $defs: { a: { allOf: [refer("a")] } } })).toEqual({
    type: "STRING",
  });
});

test("references to different things are written out, also several times", () => {
  const city = { type: "object", properties: { name: { type: "string" } } };
  const cityWritten = { type: "OBJECT", properties: { name: { type: "STRING" } } };

  expect(
    write({
      type: "object",
      properties: { from: refer("city"), to: { allOf: [refer("city")], description: "there" } },
      $defs: { city },
    }),
  ).toEqual({
    type: "OBJECT",
    properties: { from: cityWritten, to: { ...cityWritten, description: "there" } },
  });
});

test("references that multiply are refused, in one tool and over all tools of a request", () => {
  const steps = Array.from({ length: 6 }, (_, step) => {
    const names = Array.from({ length: 8 }, (_each, index) => `p${index}`);
    const next = refer(`s${step + 1}`);
    const properties = Object.fromEntries(names.map((name) => [name, next]));
    return [`s${step}`, { type: "object", properties }];
  });
  const growing = { ...refer("s0"), $defs: { ...Object.fromEntries(steps), s6: {} } };
  const long = {
    type: "object",
    properties: { a: refer("long") },
    $defs: { long: { type: "string", description: "x".repeat(1_000) } },
  };

  expect(ask([growing])).toMatchObject({ code: "unsupported_parameter", param: "tools" });
  expect(ask(Array.from({ length: 60 }, () => long))).toHaveProperty("body");
  expect(ask(Array.from({ length: 80 }, () => long))).toMatchObject({ param: "tools" });
});

function ask(schemas: readonly JsonObject[]): object {
  return writeRequest(
    {
      model: "gemini-1.5-pro",
      items: [{ type: "message", role: "user", parts: [textPart("hi")] }],
      tools: schemas.map((parameters, index) => ({
        type: "function",
        name: `t${index}`,
        description: "",
        parameters,
        strict: null,
        cache: null,
      })),
      toolChoice: null,
      parallelToolCalls: null,
      limits: { count: 1, maxOutputTokens: null, stopSequences: [] },
      sampling: defaultSampling,
      reasoning: null,
      output: null,
      media: null,
      stream: false,
      hints: noHints,
    },
    {},
  );
}
