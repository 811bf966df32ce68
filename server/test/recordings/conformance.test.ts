import { expect, test } from "bun:test";
import { join } from "node:path";
import { conformancePage } from "./conformance.ts";

/** Drops what the formatter changes: the width of tables. */
function plain(page: string): string {
  return page.replaceAll(/-{3,}/g, "---").replaceAll(/ +/g, " ").trim();
}

test("docs/conformance.md says what translation carries today; `npm run conformance` renews it", async () => {
  const page = Bun.file(join(import.meta.dir, "../../../docs/conformance.md"));
  expect(plain(await page.text())).toBe(plain(conformancePage()));
});
