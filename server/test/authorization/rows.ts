/** Reads the rows of the matrix of routes and callers. */

import { matrix } from "./matrix.ts";

export type Row = {
  /** The name of the route, with the case in brackets if the row is about one case only. */
  readonly name: string;
  /** The route as `routes.ts` names it. */
  readonly route: string;
  readonly methods: readonly string[];
  readonly path: string;
  /** The query parameter that tells the route from another one of the same path; empty: none. */
  readonly flag: string;
  readonly cells: readonly string[];
};

export function readMatrix(): Row[] {
  const lines = matrix.split("\n").filter((line) => line.trim() !== "");
  return lines.map((line) => {
    const [, name = "", cells = ""] = /^ *(\S+ \S+(?: \([^)]*\))?) +(.*)$/.exec(line) ?? [];
    const route = name.replace(/ \(.*/, "");
    const [methods = "", path = "", flag = ""] = route.split(/[ ?]/);
    return { name, route, methods: methods.split("+"), path, flag, cells: cells.split(" ") };
  });
}
