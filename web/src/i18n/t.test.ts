import "#testing/dom.ts";
import { expect, test } from "bun:test";
import i18next from "i18next";
import { setLanguage } from "./t.ts";

test("large counts have their digits grouped in both languages, and names are left as they are", async () => {
  expect(i18next.t("ui.tableFound", { count: 12_345 })).toBe("共 12,345 条");
  await setLanguage("en");
  expect(i18next.t("ui.tableFound", { count: 12_345 })).toBe("12,345 rows");
  expect(i18next.t("ui.tableFound", { count: 1 })).toBe("1 row");
  expect(i18next.t("tokens.deleteTitle", { name: "12345" })).toBe("Delete API key 12345?");
});
