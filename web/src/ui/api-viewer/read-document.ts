/** Reads of an OpenAPI document what its page shows. Pure functions. */

import type { ShownField } from "./FieldList.tsx";

type Json = Readonly<Record<string, unknown>>;

export type ShownOperation = {
  readonly method: string;
  readonly path: string;
  readonly title: string;
  readonly text: string;
  readonly group: string;
  readonly parameters: readonly ShownField[];
  readonly body: readonly ShownField[];
  readonly answer: readonly ShownField[];
};

/** How deep fields in fields are listed, and how many of one call. */
const depthMax = 5;
const fieldsMax = 200;

/** Lists the operations of a document, as it lists them. */
export function readDocument(document: object): readonly ShownOperation[] {
  const paths = objectOf(objectOf(document)["paths"]);
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(objectOf(operations)).map(([method, given]): ShownOperation => {
      const operation = objectOf(given);
      const [group] = listOf(operation["tags"]);
      return {
        method: method.toUpperCase(),
        path,
        title: textOf(operation["summary"]),
        text: textOf(operation["description"]),
        group: textOf(group),
        parameters: listOf(operation["parameters"]).map(parameterOf),
        body: fieldsOf(contentOf(operation["requestBody"])),
        answer: fieldsOf(contentOf(objectOf(operation["responses"])["200"])),
      };
    }),
  );
}

function parameterOf(given: unknown): ShownField {
  const { name, required, schema } = objectOf(given);
  return { name: textOf(name), required: required === true, type: typeOf(objectOf(schema)) };
}

function contentOf(part: unknown): Json {
  return objectOf(objectOf(objectOf(objectOf(part)["content"])["application/json"])["schema"]);
}

function fieldsOf(schema: Json): readonly ShownField[] {
  const fields: ShownField[] = [];
  addFields(schema, "", fields, 0);
  return fields;
}

function addFields(schema: Json, before: string, fields: ShownField[], depth: number): void {
  if (depth > depthMax) return;
  for (const one of listOf(schema["anyOf"])) addFields(objectOf(one), before, fields, depth + 1);
  const items = schema["items"];
  if (items !== undefined) addFields(objectOf(items), `${before}[]`, fields, depth + 1);
  const required = listOf(schema["required"]);
  for (const [name, given] of Object.entries(objectOf(schema["properties"]))) {
    const whole = before === "" ? name : `${before}.${name}`;
    const part = objectOf(given);
    if (fields.length >= fieldsMax) return;
    if (!fields.some((known) => known.name === whole)) {
      fields.push({ name: whole, type: typeOf(part), required: required.includes(name) });
    }
    addFields(part, whole, fields, depth + 1);
  }
}

/** Says in words of JSON Schema what a value is. */
function typeOf(schema: Json): string {
  const values = listOf(schema["enum"]);
  if (values.length > 0) return values.map((value) => JSON.stringify(value)).join(" | ");
  if (schema["const"] !== undefined) return JSON.stringify(schema["const"]);
  const either = listOf(schema["anyOf"]).map((one) => typeOf(objectOf(one)));
  if (either.length > 0) return [...new Set(either)].join(" | ");
  const type = Array.isArray(schema["type"]) ? schema["type"].join(" | ") : textOf(schema["type"]);
  const items = objectOf(schema["items"]);
  return type === "array" ? `${typeOf(items) || "any"}[]` : type;
}

function objectOf(value: unknown): Json {
  // Built anew, because a cast alone would not guarantee that it is an object.
  return typeof value === "object" && value !== null ? { ...value } : {};
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
