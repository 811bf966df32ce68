/**
 * Every endpoint of the console, called with inputs as large as a body may be. The samples are made
 * from the schemas of the contract, so a new endpoint is measured without a line here.
 */

import { options } from "@tollgate/contract/options/options.ts";
import { role } from "@tollgate/contract/endpoints/users.ts";
import { z } from "zod";
import { openRateLimits } from "#base/rate-limit.ts";
import type { Json, JsonObject } from "#base/json.ts";
import { openByteBudget } from "#base/memory/byte-budget.ts";
import { consoleBodyBytesMax } from "#http/body.ts";
import { openConsole } from "#http/edge.ts";
import { joinModules } from "#modules.ts";
import { openTestConsole } from "#test/accounts/open-console.ts";
import { amplify, amplifyEach } from "./amplify.ts";
import type { Family, Subject } from "./measure.ts";

export async function consoleInputs(): Promise<readonly Subject[]> {
  const { clock, modules, ports, root, stores } = await openTestConsole("sqlite");
  await stores.pricing.installPrices(clock.nowMs);
  const { id, username } = await root();
  const { handlers } = joinModules(modules);
  const answer = openConsole({
    handlers,
    authenticate: () =>
      Promise.resolve({
        kind: "known",
        userId: id,
        role: role.enum.root,
        username,
        status: 1,
        sessionId: "s",
      }),
    requireStepUp: () => Promise.resolve(),
    budget: openByteBudget(64 * 1024 * 1024),
    limits: { ...openRateLimits({ now: () => clock.nowMs }) },
    requestsPerMinute: () => 0,
    serverAddress: () => "",
    errorText: (message) => message,
    log: ports.log,
  });
  const send = (method: string, path: string, body: string) => async (): Promise<void> => {
    const headers = { "content-type": "application/json", "new-api-user": String(id) };
    const request = new Request(`https://gateway.test${path}`, { method, headers, body });
    // What was answered does not count here, only what it cost.
    await (await answer(request, { clientIp: "203.0.113.9", requestId: "r" })).text();
  };
  const bodied = handlers
    .map(({ endpoint }) => endpoint)
    .filter(({ method }) => method === "POST" || method === "PUT");
  return [
    ...bodied.map(({ method, path, flag, input }): Subject => {
      const target = path.replaceAll(/:\w+/g, "1") + (flag === undefined ? "" : `?${flag}=1`);
      const schema = z.toJSONSchema(input, { io: "input", unrepresentable: "any" });
      // Safe cast: it has no other fields that are read.
      const sample = sampleOf(schema as Schema, 0);
      return {
        name: `${method} ${path}`,
        families: familiesOf(sample, (body) => send(method, target, body)),
      };
    }),
    ...Object.keys(options).map((key): Subject => {
      const values = ["a", '{"a":1}', '["a"]'];
      const families = values.flatMap((value) => optionFamilies(key, value, send));
      return { name: `option ${key}`, families };
    }),
  ];
}

type Send = (method: string, path: string, body: string) => () => Promise<void>;

/** The longest input that is measured: amplified, it stays below the limit of a body. */
const bytesMax = consoleBodyBytesMax / 2;

function familiesOf(sample: Json, send: (body: string) => () => Promise<void>): readonly Family[] {
  const each = amplifyEach(sample);
  return [...amplify(sample, () => false), ...each].map(({ name, make }) => ({
    name,
    bytesMax,
    make: (bytes) => send(JSON.stringify(make(bytes))),
  }));
}

/** Values of options are texts, many of them JSON. */
function optionFamilies(key: string, text: string, send: Send): readonly Family[] {
  const isPlain = text === "a";
  const families = isPlain
    ? amplify(text, () => false).filter(({ name }) => name.startsWith("texts"))
    : amplify(JSON.parse(text) as Json).filter(({ name }) => name.startsWith("many")); // Safe cast: JSON.parse makes nothing else
  return families.map(({ name, make }) => ({
    name: `${text}: ${name}`,
    bytesMax,
    make(bytes) {
      const made = make(bytes);
      const given = isPlain ? made : JSON.stringify(made);
      return send("PUT", "/api/option/", JSON.stringify({ key, value: given }));
    },
  }));
}

type Schema = {
  readonly type?: string | readonly string[];
  readonly const?: Json;
  readonly enum?: readonly Json[];
  readonly anyOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
  readonly minimum?: number;
};

/** Values without which a handler refuses the rest unread. */
const known: JsonObject = {
  base_url: "",
  copy_from: null,
  created_time: 1,
  group: "default",
  groups: ["default"],
  model_mapping: "{}",
  param_override: "{}",
  setting: "{}",
  status_code_mapping: "{}",
  type: 1,
};

/** Schemas may refer to themselves; what is deeper than this is left out. */
const depthMax = 6;

function sampleOf(schema: Schema, depth: number): Json {
  if (schema.const !== undefined) return schema.const;
  if (schema.enum !== undefined) return schema.enum[0] ?? null;
  const [option] = schema.anyOf ?? schema.allOf ?? [];
  if (option !== undefined) return sampleOf(option, depth);
  const type = typeof schema.type === "object" ? schema.type[0] : schema.type;
  switch (type) {
    case "string":
      return "a";
    case "integer":
    case "number":
      return schema.minimum === undefined || schema.minimum < 0 ? 1 : schema.minimum;
    case "boolean":
      return true;
    case "null":
      return null;
    case "array":
      return depth > depthMax ? [] : [sampleOf(schema.items ?? {}, depth + 1)];
    case undefined:
      // What JSON Schema cannot say: most are texts that are changed while they are read.
      return "a";
    default:
      return depth > depthMax ? {} : objectOf(schema, depth);
  }
}

function objectOf({ properties = {}, additionalProperties }: Schema, depth: number): JsonObject {
  const named = Object.entries(properties).map(
    ([name, each]) =>
      [name, name in known ? (known[name] ?? null) : sampleOf(each, depth + 1)] as const,
  );
  const more =
    typeof additionalProperties === "object"
      ? { a: sampleOf(additionalProperties, depth + 1) }
      : {};
  return { ...more, ...Object.fromEntries(named) };
}
