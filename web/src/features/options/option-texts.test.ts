import "#testing/dom.ts";
import { expect, test } from "bun:test";
import type { Field } from "@tollgate/contract/kinds/kinds.ts";
import { type OptionName, options, optionSections } from "@tollgate/contract/options/options.ts";
import { optionKey, sectionKey } from "#i18n/kind-keys.ts";
import { setLanguage, t } from "#i18n/t.ts";
import { findOptions } from "./option-search.ts";
import {
  isUnread,
  unreadReason,
  optionText,
  shownSections,
} from "#widgets/option-form/option-texts.ts";

await setLanguage("zh");

test("every option of a section has a text, and every section a title", () => {
  for (const section of optionSections) {
    expect(t(sectionKey(section.name))).not.toBe(sectionKey(section.name));
    for (const name of section.keys) expect(optionText(name, t).label).not.toBe(optionKey(name));
  }
});

test("A-153 to A-159, A-178 to A-187, A-194 to A-202: each tab has its options", () => {
  const on = (tab: string) =>
    shownSections(false)
      .filter((section) => section.tab === tab)
      .map(({ name }) => name);
  expect(on("operation")).toEqual(
    expect.arrayContaining([
      "general",
      "quota",
      "monitoring",
      "sensitiveWords",
      "dataExport",
      "drawing",
      "prices",
    ]),
  );
  expect(on("system")).toEqual(
    expect.arrayContaining(["server", "payment", "mail", "signIn", "registration", "botCheck"]),
  );
  expect(on("other")).toEqual(["content", "chats"]);
  const hasEffect = (name: OptionName) => !isUnread(name) || unreadReason(name) === "always";
  expect(shownSections(false).every(({ keys }) => keys.some(hasEffect))).toBe(true);
});

test("only amounts of quota are edited in dollars", () => {
  expect(unitOf("QuotaForNewUser")).toBe("quota");
  // The unit of this option is output tokens and not quota, so no dollars are shown.
  expect(unitOf("PreConsumedQuota")).toBeUndefined();
});

function unitOf(name: OptionName): Field["unit"] {
  const field: Field = options[name];
  return field.unit;
}

test("options are found by key, label, help and section", () => {
  const found = (keyword: string) =>
    findOptions(shownSections(false), keyword, t).flatMap(({ keys }) => keys);
  expect(found("retrytimes")).toEqual(["RetryTimes"]);
  expect(found("失败重试")).toEqual(["RetryTimes"]);
  expect(found("{address}")).toEqual(["Chats"]);
  expect(found("SMTP")).toEqual(expect.arrayContaining(["SMTPServer", "SMTPSSLEnabled"]));
  expect(found("no such thing")).toEqual([]);
});
