import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { T } from "#i18n/t.ts";
import { actionName } from "./audit-actions.ts";

const modules = join(import.meta.dirname, "../../../../server/src/modules");

/** Finds the actions in the files of the server that write audit log entries. */
function writtenActions(): string[] {
  const files = readdirSync(modules, { recursive: true, encoding: "utf8" });
  const texts = files
    .filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts"))
    .map((file) => readFileSync(join(modules, file), "utf8"))
    .filter((text) => text.includes("#modules/audit/audit.ts"));
  // The name of an action begins with one thing; a column's begins with its table, a plural.
  return texts.flatMap((text) =>
    [...text.matchAll(/"([a-z-]*[a-rt-z]\.[a-z_-]+)"/g)].map(([, action = ""]) => action),
  );
}

test("every action that the server writes into the audit log has a name on the screen", () => {
  // Safe cast: the texts are not looked at, only whether there is one.
  const t = ((key: string) => key) as unknown as T;
  const actions = [...new Set(writtenActions())];
  expect(actions).toContain("order.refund");
  expect(actions.filter((action) => actionName(action, t) === null)).toEqual([]);
});
