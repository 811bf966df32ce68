/**
 * What the demo upstream knows of a provider that signs requests or talks in a format of its own. A
 * provider's file has its answers and checks what it is asked: more strictly than a provider needs to,
 * so that a field that no document has is noticed here.
 */

import type { Api } from "@tollgate/demo/answers/api.ts";
import type { Json, JsonObject } from "@tollgate/demo/json.ts";
import type { Admission } from "@tollgate/demo/keys.ts";

/** The secret of every account, where requests are signed. Ids may be any. */
export const demoSecret = "demo-secret";

export type Provider = Api & Required<Pick<Api, "read">>;

export function refusedAdmission(message: string): Admission {
  return { refusal: { message, type: "invalid_request_error", param: null, code: null } };
}

type Check = (value: Json) => boolean;

/**
 * Says what is wrong with the fields of an object; undefined: nothing is.
 *
 * @param fields all fields that the provider documents.
 * @param required those that must be there.
 */
export function wrongField(
  object: JsonObject,
  fields: Readonly<Record<string, Check>>,
  required: readonly string[],
): string | undefined {
  for (const name of required) {
    if (object[name] === undefined) return `the field ${name} is missing`;
  }
  for (const [name, value] of Object.entries(object)) {
    const check = Object.hasOwn(fields, name) ? fields[name] : undefined;
    if (check === undefined) return `the field ${name} is unknown`;
    if (!check(value)) return `the field ${name} has a value that is not allowed`;
  }
  return undefined;
}

export const isText: Check = (value) => typeof value === "string";
export const isWords: Check = (value) => typeof value === "string" && value !== "";
export const isFlag: Check = (value) => typeof value === "boolean";
export const isList: Check = (value) => Array.isArray(value);

/** Checks for a number from `least` to `most`. */
export function within(least: number, most: number): Check {
  return (value) => typeof value === "number" && value >= least && value <= most;
}

/** Checks for a number above `least` and up to `most`. */
export function above(least: number, most: number): Check {
  return (value) => typeof value === "number" && value > least && value <= most;
}

/** Checks for a number between both, without them. */
export function inside(least: number, most: number): Check {
  return (value) => typeof value === "number" && value > least && value < most;
}

export function oneOf(...words: readonly string[]): Check {
  return (value) => typeof value === "string" && words.includes(value);
}

/**
 * Says what is wrong with the order of a conversation in which two roles alternate and the user has
 * the first and the last word; undefined: nothing is.
 */
export function wrongTurns(
  roles: readonly Json[],
  { user, model }: { readonly user: string; readonly model: string },
): string | undefined {
  if (roles.length === 0) return "the conversation is empty";
  const at = roles.findIndex((role, index) => role !== (index % 2 === 0 ? user : model));
  const role = JSON.stringify(roles[at]);
  if (at >= 0) return `message ${at} has the role ${role}, but roles must alternate`;
  return roles.length % 2 === 0 ? "the last message must be the user's" : undefined;
}

/** The provider's code for a status, in a table that has one for all servers' faults at 500. */
export function codeFor(codes: Readonly<Record<number, number>>, status: number): number {
  return codes[status] ?? codes[status < 500 ? 400 : 500] ?? 0;
}
