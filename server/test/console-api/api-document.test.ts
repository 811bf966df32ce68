import { expect, test } from "bun:test";
import { Validator } from "@seriousme/openapi-schema-validator";
import type { Endpoint } from "@tollgate/contract/endpoints/endpoint.ts";
import { listEndpoints } from "#test/authorization/routes.ts";
import { apiDocumentHandlers } from "#modules/api-document/api-document.handlers.ts";

type Operation = {
  readonly operationId: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly security: readonly object[];
  readonly parameters?: readonly { readonly name: string; readonly in: string }[];
  readonly requestBody?: object;
  readonly responses: object;
};
type Paths = Readonly<Record<string, Readonly<Record<string, Operation>>>>;

const endpoints = await listEndpoints();

async function readDocument() {
  const [handler] = apiDocumentHandlers({
    callable: () => [],
    endpoints: () => endpoints,
    basePath: "",
    about: () => ({ title: "Tollgate", version: "1.2.3" }),
  });
  if (handler === undefined) throw new Error("no handler");
  const caller = { userId: 1, role: 10, username: "ada", clientIp: "", sessionId: null } as const;
  // Safe cast: `Paths` names only what the tests below read.
  return (await handler.run({}, { ...caller, requestId: "r" })) as { readonly paths: Paths };
}

const { paths, ...rest } = await readDocument();

const operationsOf = ({ method, alias, path }: Endpoint): (Operation | undefined)[] => {
  const operations = paths[path.replaceAll(/:(\w+)/g, "{$1}")];
  const methods = alias === undefined ? [method] : [method, alias];
  return methods.map((name) => operations?.[name.toLowerCase()]);
};

test("a validator of OpenAPI 3.1 accepts the document", async () => {
  const validator = new Validator();
  const { valid, errors } = await validator.validate({ ...rest, paths });
  expect(errors ?? []).toEqual([]);
  expect(valid).toBeTrue();
  expect(validator.version).toBe("3.1");
});

test("every endpoint of the matrix of authorizations is described, and nothing else", () => {
  const missing = endpoints.filter((one) => operationsOf(one).includes(undefined));
  expect(missing.map(({ method, path }) => `${method} ${path}`)).toEqual([]);

  const described = Object.values(paths).flatMap((operations) => Object.keys(operations)).length;
  const known = new Set(
    endpoints.flatMap(({ method, alias, path }) => [
      `${method} ${path}`,
      `${alias ?? method} ${path}`,
    ]),
  );
  expect(described).toBe(known.size);
});

test("each operation has a name of its own, a noun, and every parameter of its path", () => {
  const operations = Object.entries(paths).flatMap(([path, named]) =>
    Object.values(named).map((operation) => ({ path, operation })),
  );
  const names = operations.map(({ operation }) => operation.operationId);
  expect(new Set(names).size).toBe(names.length);
  expect(names).not.toContain("");
  for (const { path, operation } of operations) {
    expect(operation.tags).toHaveLength(1);
    const named = (operation.parameters ?? []).filter((one) => one.in === "path");
    expect(named.map(({ name }) => name)).toEqual(
      [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name),
    );
  }
});

test("the document says who may call, what is sent and what comes back", () => {
  const list = paths["/api/log/"]?.["get"];
  expect(list?.operationId).toBe("listLogs");
  expect(list?.description).toBe(
    "Lists rows of all users. Only root sees the channels that were tried. For admins and root.",
  );
  expect(list?.parameters?.map(({ name }) => name)).toContain("model_name");
  expect(list?.security).toEqual([
    { session: [], userId: [] },
    { accessToken: [], userId: [] },
  ]);
  expect(JSON.stringify(list?.responses)).toContain('"quota":{"type":"integer"');

  const start = paths["/api/log/clean"]?.["post"];
  expect(JSON.stringify(start?.requestBody)).toContain('"required":["target_timestamp"]');
  const byKey = paths["/api/log/token"]?.["get"];
  expect(byKey?.security).toEqual([{ apiKey: [] }]);
  expect(paths["/api/notice"]?.["get"]?.security).toEqual([]);
});
