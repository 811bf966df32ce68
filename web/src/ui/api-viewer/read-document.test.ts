import { expect, test } from "bun:test";
import { readDocument } from "./read-document.ts";

const row = {
  type: "object",
  properties: {
    id: { type: "integer" },
    state: { enum: ["on", "off"] },
    names: { type: "array", items: { type: "string" } },
  },
  required: ["id"],
};
const answered = { type: "object", properties: { data: { type: "array", items: row } } };
const document = {
  paths: {
    "/api/x/{id}": {
      get: {
        summary: "Read x",
        tags: ["x"],
        parameters: [{ name: "id", in: "path", required: true, schema: { type: "integer" } }],
        responses: { "200": { content: { "application/json": { schema: answered } } } },
      },
    },
  },
};

test("an operation has its parameters, and fields in fields by their whole names", () => {
  const [read] = readDocument(document);
  expect(read).toMatchObject({ method: "GET", path: "/api/x/{id}", title: "Read x", group: "x" });
  expect(read?.parameters).toEqual([{ name: "id", required: true, type: "integer" }]);
  expect(read?.answer).toEqual([
    { name: "data", required: false, type: "object[]" },
    { name: "data[].id", required: true, type: "integer" },
    { name: "data[].state", required: false, type: '"on" | "off"' },
    { name: "data[].names", required: false, type: "string[]" },
  ]);
});

test("a field of several forms is listed once, and what is no document has no operations", () => {
  const either = { anyOf: [row, row] };
  const body = { content: { "application/json": { schema: either } } };
  const [one] = readDocument({ paths: { "/a": { post: { requestBody: body } } } });
  expect(one?.body.map(({ name }) => name)).toEqual(["id", "state", "names"]);
  expect(readDocument({})).toEqual([]);
});
