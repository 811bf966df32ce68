/** Writes the OpenAPI document of the console API from its endpoints. */

import type { Endpoint } from "@tollgate/contract/endpoints/endpoint.ts";
import { refusalStatus } from "@tollgate/contract/words/refusals.ts";
import { z } from "zod";
import type { Notes } from "./read-notes.ts";

type Json = Readonly<Record<string, unknown>>;

type Document = {
  readonly tags: readonly Json[];
  readonly paths: Readonly<Record<string, Record<string, Json>>>;
  readonly components: Json;
};

/** How many endpoints are described at a time; calls are relayed in between. */
const atOnce = 4;

/** Opens the document, which is written when it is first read. */
export function openDocument(
  endpoints: () => readonly Endpoint[],
  notes: Notes,
): () => Promise<Document> {
  let written: Promise<Document> | undefined;
  return async () => await (written ??= writeDocument(endpoints(), notes));
}

async function writeDocument(endpoints: readonly Endpoint[], notes: Notes): Promise<Document> {
  const paths: Record<string, Record<string, Json>> = {};
  const nouns = new Set<string>();
  const sorted = endpoints.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
  for (const [at, endpoint] of sorted.entries()) {
    if (at % atOnce === 0) await new Promise((resolve) => void setImmediate(resolve));
    const { method, alias, path } = endpoint;
    const operations = (paths[path.replaceAll(/:(\w+)/g, "{$1}")] ??= {});
    nouns.add(notes[keyOf(endpoint)]?.noun ?? "");
    for (const one of alias === undefined ? [method] : [method, alias]) {
      const name = one.toLowerCase();
      const written = describe(endpoint, one, notes);
      const present = operations[name];
      operations[name] = present === undefined ? written : joinOperations(present, written);
    }
  }
  return {
    tags: [...nouns]
      .filter((noun) => noun !== "")
      .toSorted()
      .map((name) => ({ name })),
    paths,
    components: { securitySchemes, responses: { refused } },
  };
}

/** Returns the key of an endpoint's note. */
function keyOf({ flag, method, path }: Endpoint): string {
  return `${method} ${path}${flag === undefined ? "" : `?${flag}`}`;
}

const securitySchemes = {
  session: { type: "apiKey", in: "cookie", name: "sid", description: "The cookie of a session." },
  userId: {
    type: "apiKey",
    in: "header",
    name: "New-Api-User",
    description: "The id of the user who calls.",
  },
  accessToken: {
    type: "apiKey",
    in: "header",
    name: "Authorization",
    description: "A personal access token, in place of the session.",
  },
  apiKey: { type: "http", scheme: "bearer", description: "An API key (`sk-…`)." },
};

const refused = {
  description:
    "Refused. Most refusals have one of these statuses: " +
    `${[...new Set(Object.values(refusalStatus))].toSorted((a, b) => a - b).join(", ")}.`,
  content: {
    "application/json": {
      schema: {
        type: "object",
        properties: {
          success: { const: false },
          message: { type: "string" },
          field: { type: "string", description: "The input field that the refusal is about." },
        },
        required: ["success", "message"],
      },
    },
  },
};

function describe(endpoint: Endpoint, method: string, notes: Notes): Json {
  const { access, byKey, flag, stepUp } = endpoint;
  const { name = "", noun = "", text = "" } = notes[keyOf(endpoint)] ?? {};
  const isAlias = method !== endpoint.method;
  const remarks = [
    text,
    access === "public" ? "" : `For ${accessNames[access]}.`,
    flag === undefined ? "" : `Called when the query has \`${flag}\`.`,
    stepUp === undefined ? "" : "May need a fresh second factor.",
  ];
  return {
    operationId: isAlias ? `${name}By${method}` : name,
    summary: wordsOf(name),
    description: remarks.filter((remark) => remark !== "").join(" "),
    tags: noun === "" ? [] : [noun],
    security: securityOf(access, byKey === true),
    ...inputOf(endpoint, method),
    responses: {
      "200": {
        description: "Answered.",
        content: { "application/json": { schema: answerOf(endpoint) } },
      },
      default: { $ref: "#/components/responses/refused" },
    },
  };
}

const accessNames = { user: "signed-in users", admin: "admins and root", root: "root" } as const;

function securityOf(access: Endpoint["access"], byKey: boolean): Json[] {
  if (byKey) return [{ apiKey: [] }];
  if (access === "public") return [];
  return [
    { session: [], userId: [] },
    { accessToken: [], userId: [] },
  ];
}

/** `listOwnLogs` → `List own logs`. */
function wordsOf(name: string): string {
  const words = name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function inputOf(endpoint: Endpoint, method: string): Json {
  const { flag, inBody = [], inQuery = [], input, path } = endpoint;
  const { properties, required } = objectOf(input);
  const inPath = [...path.matchAll(/:(\w+)/g)].map(([, name = ""]) => name);
  const isQuery = method === "GET" || method === "DELETE";
  const parameterOf = (name: string, place: "path" | "query"): Json => ({
    name,
    in: place,
    ...(place === "path" || required.includes(name) ? { required: true } : {}),
    schema: properties[name] ?? { type: "string" },
  });
  const others = Object.keys(properties).filter((name) => !inPath.includes(name));
  const queried = others.filter((name) => isQuery || inQuery.includes(name));
  const sent = others.filter((name) => (isQuery ? inBody.includes(name) : true));
  const flags = flag === undefined || queried.includes(flag) ? [] : [flag];
  const parameters = [
    ...inPath.map((name) => parameterOf(name, "path")),
    ...queried.map((name) => parameterOf(name, "query")),
    ...flags.map((name) => parameterOf(name, "query")),
  ];
  return {
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(sent.length === 0 ? {} : { requestBody: bodyOf(sent, properties, required) }),
  };
}

function bodyOf(names: readonly string[], properties: Json, required: readonly string[]): Json {
  const needed = names.filter((name) => required.includes(name));
  const schema = {
    type: "object",
    properties: Object.fromEntries(names.map((name) => [name, properties[name]])),
    ...(needed.length === 0 ? {} : { required: needed }),
  };
  return { content: { "application/json": { schema } } };
}

function answerOf({ bare, extras, output, verdictField }: Endpoint): Json {
  const verdict = verdictField ?? "success";
  const data = schemaOf(output, "output");
  if (bare === true) return data;
  const beside = extras === undefined ? {} : objectOf(extras, "output").properties;
  return {
    type: "object",
    properties: {
      [verdict]: { const: true },
      message: { type: "string" },
      data,
      ...beside,
    },
    required: [verdict, "message"],
  };
}

/**
 * Two endpoints of one method and path, of which a query flag chooses one. OpenAPI has a single
 * operation there.
 */
function joinOperations(one: Json, other: Json): Json {
  const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
  const parameters = [...list(one["parameters"]), ...list(other["parameters"])];
  const named = new Map(
    parameters.map((given) => [`${Object(given).in} ${Object(given).name}`, given]),
  );
  return {
    ...one,
    description: `${String(one["description"])} ${String(other["description"])}`.trim(),
    ...(named.size === 0 ? {} : { parameters: [...named.values()] }),
    ...(one["requestBody"] === undefined && other["requestBody"] === undefined
      ? {}
      : { requestBody: joinContents(one["requestBody"], other["requestBody"]) }),
    responses: {
      ...Object(one["responses"]),
      "200": joinContents(Object(one["responses"])["200"], Object(other["responses"])["200"]),
    },
  };
}

function joinContents(one: unknown, other: unknown): unknown {
  const schemas = [one, other].flatMap(
    (part) => Object(Object(part).content)["application/json"]?.schema ?? [],
  );
  const content = { "application/json": { schema: { anyOf: schemas } } };
  return { ...Object(one ?? other), content };
}

type ObjectSchema = { readonly properties: Json; readonly required: readonly string[] };

function objectOf(schema: z.ZodObject, io: "input" | "output" = "input"): ObjectSchema {
  const { properties = {}, required = [] } = schemaOf(schema, io) as Partial<ObjectSchema>; // Safe cast: this is the schema of an object.
  return { properties, required };
}

/** Returns the JSON Schema of a value. What JSON Schema cannot say is left open. */
function schemaOf(schema: z.ZodType, io: "input" | "output"): Json {
  const { $schema: _, ...written } = z.toJSONSchema(schema, {
    io,
    unrepresentable: "any",
    reused: "inline",
    cycles: "throw",
    override: ({ jsonSchema }) => {
      // Every whole number has these bounds, because JSON has no larger ones that are exact.
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
    },
  });
  return written;
}
