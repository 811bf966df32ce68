/** Renders the templates of our chart: the part of Helm's language that they use. */

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

type Scope = Readonly<Record<string, unknown>>;

/** Renders every template of a chart, and reads what comes out as YAML, by kind. */
export function renderChart(folder: string, values: Scope): Map<string, unknown> {
  const rendered = new Map<string, unknown>();
  for (const name of readdirSync(join(folder, "templates"))) {
    const text = readFileSync(join(folder, "templates", name), "utf8");
    const made: unknown = Bun.YAML.parse(
      render(text, { Values: values, Release: { Name: "shop" } }),
    );
    if (made !== null && made !== undefined) rendered.set(Object(made).kind, made);
  }
  return rendered;
}

function render(text: string, scope: Scope): string {
  // `{{-` takes the blanks before it away, as a trim of the left.
  const parts = text.replaceAll(/\s*\{\{-/g, "{{").split(/\{\{\s*(.*?)\s*\}\}/s);
  const { out, next } = renderParts(parts, 0, scope);
  if (next < parts.length) throw new Error("an end without a beginning");
  return out;
}

/** Renders up to the `end` of a block. Odd parts are actions. */
function renderParts(parts: readonly string[], from: number, scope: Scope) {
  let out = "";
  let at = from;
  while (at < parts.length) {
    const part = parts[at] ?? "";
    at += 1;
    if (at % 2 === 1) {
      out += part;
      continue;
    }
    if (part === "end") return { out, next: at };
    const [, condition] = /^if (.+)$/.exec(part) ?? [];
    const [, key = "", value = "", list] = /^range (\$\w+), (\$\w+) := (.+)$/.exec(part) ?? [];
    if (condition !== undefined) {
      const block = renderParts(parts, at, scope);
      at = block.next;
      if (isTrue(evaluate(condition, scope))) out += block.out;
    } else if (list !== undefined) {
      const entries = Object.entries(Object(evaluate(list, scope)));
      let { next } = renderParts(parts, at, { ...scope, [key]: "", [value]: "" });
      for (const [name, of] of entries) {
        const block = renderParts(parts, at, { ...scope, [key]: name, [value]: of });
        out += block.out;
        ({ next } = block);
      }
      at = next;
    } else out += String(evaluate(part, scope));
  }
  return { out, next: at };
}

function isTrue(value: unknown): boolean {
  if (typeof value === "object" && value !== null) return Object.keys(value).length > 0;
  return Boolean(value);
}

function evaluate(expression: string, scope: Scope): unknown {
  const [first = "", ...filters] = expression.split("|").map((part) => part.trim());
  let value = first.startsWith("toYaml ")
    ? Bun.YAML.stringify(find(first.slice("toYaml ".length), scope), null, 2).trimEnd()
    : find(first, scope);
  for (const filter of filters) {
    const [, margin] = /^nindent (\d+)$/.exec(filter) ?? [];
    if (filter === "quote") value = JSON.stringify(String(value));
    else if (margin !== undefined) value = indented(String(value), Number(margin));
    else throw new Error(`unknown filter: ${filter}`);
  }
  return value;
}

function indented(text: string, margin: number): string {
  return `\n${text}`.replaceAll("\n", `\n${" ".repeat(margin)}`);
}

function find(path: string, scope: Scope): unknown {
  const names = path.startsWith("$") ? [path] : path.slice(1).split(".");
  let value: unknown = scope;
  for (const name of names) {
    if (!Object.hasOwn(Object(value), name)) throw new Error(`there is no ${path}`);
    value = Reflect.get(Object(value), name);
  }
  return value;
}
