/** Puts together the arguments of a call that Vertex streams as values at paths. */

import type { Json } from "#base/json.ts";
import { objectOf, textOf } from "#formats/shared/read-json.ts";

type Node = { [key: string]: Json | Node } | (Json | Node)[];

export type PartialCall = { readonly args: { [key: string]: Json } };

/** How deep and how long a path and a list may be; more comes from a broken upstream. */
const stepsMax = 64;
const indexMax = 10_000;

/** Adds pieces to the arguments: texts are appended, other values replace what was there. */
export function readPartialArgs({ args }: PartialCall, pieces: readonly Json[]): void {
  for (const each of pieces) {
    const piece = objectOf(each);
    const steps = readPath(textOf(piece["jsonPath"]));
    if (steps.length === 0 || steps.length > stepsMax) continue;
    const text = piece["stringValue"];
    const value = piece["numberValue"] ?? piece["boolValue"] ?? null;
    setAt(args, steps, typeof text === "string" ? text : value, typeof text === "string");
  }
}

/** Splits `$.a.b[0]` into its steps. */
function readPath(path: string): readonly (number | string)[] {
  const steps: (number | string)[] = [];
  for (const [, name, index] of path.matchAll(/\.([^.[\]]+)|\[(\d+)\]/g)) {
    steps.push(name ?? Math.min(Number(index), indexMax));
  }
  return steps;
}

function setAt(
  root: Node,
  steps: readonly (number | string)[],
  value: Json,
  appends: boolean,
): void {
  let node: Node = root;
  for (const [position, step] of steps.entries()) {
    const isLast = position === steps.length - 1;
    const known = read(node, step);
    if (isLast) {
      const isMore = typeof value === "string" && typeof known === "string" && appends;
      const text = isMore ? known + value : value;
      write(node, step, text);
      return;
    }
    const next: Node =
      typeof known === "object" && known !== null
        ? (known as Node) // Safe cast: this function made it.
        : typeof steps[position + 1] === "number"
          ? []
          : {};
    write(node, step, next);
    node = next;
  }
}

function read(node: Node, step: number | string): Json | Node | undefined {
  if (Array.isArray(node)) return typeof step === "number" ? node[step] : undefined;
  return Object.hasOwn(node, String(step)) ? node[String(step)] : undefined;
}

function write(node: Node, step: number | string, value: Json | Node): void {
  if (Array.isArray(node)) {
    if (typeof step === "number") node[step] = value;
  } else {
    Object.defineProperty(node, String(step), {
      value,
      enumerable: true,
      writable: true,
      configurable: true,
    });
  }
}
