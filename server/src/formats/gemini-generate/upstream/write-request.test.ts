import { expect, test } from "bun:test";
import type { JsonObject } from "#base/json.ts";
import { defaultSampling, noHints, textPart } from "#canonical/request.ts";
import { writeRequest } from "./write-request.ts";

function declared(model: string, parameters: JsonObject) {
  const written = writeRequest(
    {
      model,
      items: [{ type: "message", role: "user", parts: [textPart("hi")] }],
      tools: [
        { type: "function", name: "f", description: "", parameters, strict: null, cache: null },
      ],
      toolChoice: null,
      parallelToolCalls: null,
      limits: { maxOutputTokens: null, stopSequences: [], count: 1 },
      sampling: defaultSampling,
      reasoning: null,
      output: null,
      media: null,
      hints: noHints,
      stream: false,
    },
    {},
  );
  if ("message" in written) throw new Error(written.message);
  const [tool] = Object(written.body["tools"])[0].functionDeclarations;
  return { tool, losses: written.losses };
}

const city = { type: "object", properties: { city: { type: "string" } } };
const place = { type: "object", properties: { place: { type: "string" } } };

test("a schema without properties at its root keeps what it says", () => {
  for (const schema of [
    { oneOf: [city, place] },
    { type: "object", allOf: [city, place] },
    { type: "object", additionalProperties: { type: "string" } },
    { type: "object", enum: [{ city: "Paris" }] },
  ] as const) {
    expect(declared("gemini-2.5-flash", schema)).toEqual({
      tool: { name: "f", parametersJsonSchema: schema },
      losses: [],
    });
  }
  for (const schema of [{ type: "object" }, { type: "object", properties: {} }]) {
    expect(declared("gemini-2.5-flash", schema).tool).toEqual({ name: "f" });
  }
});

test("older models, which refuse objects without properties, get what they can be told", () => {
  const older = "gemini-2.0-flash";
  expect(JSON.stringify(declared(older, { oneOf: [city, place] }).tool)).toContain("place");
  expect(JSON.stringify(declared(older, { type: "object", allOf: [city, place] }).tool)).toContain(
    '"city"',
  );
  const map = { type: "object", additionalProperties: { type: "string" } };
  expect(declared(older, map)).toEqual({
    tool: { name: "f" },
    losses: ["tools.parameters details"],
  });
});
