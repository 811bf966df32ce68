/** Reads the console's screens from `web/src/app/screens.ts`, and `agent-screens.ts`,
 * `connect-screens.ts`, `conversation-screens.ts` and `price-screens.ts` beside it. */

import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export type ListedScreen = { readonly path: string; readonly access: string };

/**
 * Lists the screens with an address of their own. The list is read as text, because its module
 * imports others that only a browser build can load.
 */
export function listScreens(): ListedScreen[] {
  const top = dirname(dirname(fileURLToPath(import.meta.url)));
  const files = ["screens.ts", "agent-screens.ts", "connect-screens.ts"];
  const text = [...files, "conversation-screens.ts", "price-screens.ts"]
    .map((file) => readFileSync(join(top, "web/src/app", file), "utf8"))
    .join("\n");
  const rows = [...text.matchAll(/path: "([^"]+)",\s+title: "[^"]+",\s+access: "(\w+)"/g)];
  return rows
    .map(([, path = "", access = ""]) => ({ path, access }))
    .filter(({ path }) => !path.includes("$"));
}
