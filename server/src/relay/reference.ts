/** What client programs can call, from the lists by which their requests are read. */

import type { Callable } from "@tollgate/contract/endpoints/caller-reference.ts";
import type { Translation } from "#formats/translation.ts";
import { translations } from "#formats/translation-registry.ts";
import { rows } from "./ingress.ts";

/** Returns every path of the relay that answers, with the fields of its requests. */
export function callerReference(): Callable[] {
  return rows
    .filter(({ to }) => to !== "unimplemented")
    .map(({ format, method, path, to }) => ({
      method,
      path,
      format,
      to,
      fields: to === "chat" || to === "count" ? fieldsOf(format) : [],
    }));
}

/** Returns the fields of a format; of two spellings of one field that which its makers document. */
function fieldsOf(format: string): string[] {
  const known: Readonly<Record<string, Translation>> = translations;
  const names = known[format]?.client?.carries ?? new Set<string>();
  return [...names].filter((name) => !isOtherSpelling(name, names)).toSorted();
}

function isOtherSpelling(name: string, names: ReadonlySet<string>): boolean {
  const camel = name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
  return camel !== name && names.has(camel);
}
