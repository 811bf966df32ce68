import { expect, test } from "bun:test";
import { errorLanguage, languageOf } from "./languages.ts";

test("a reader of Chinese gets Chinese, a reader of any other language English", () => {
  for (const [tags, language] of [
    ["zh-CN,zh;q=0.9,en;q=0.8", "zh"],
    ["zh_TW", "zh"],
    ["en", "en"],
    ["de-AT,de;q=0.9", "en"],
    ["EN-us", "en"],
    ["*", ""],
    ["", ""],
    ["../../etc", ""],
  ]) {
    expect([tags, languageOf(tags ?? "")]).toEqual([tags, language]);
  }
});

test("an error is in the best of the two languages that a request names, else in the default", () => {
  for (const [sent, language] of [
    [null, "zh"],
    ["", "zh"],
    ["*", "zh"],
    ["de,fr;q=0.5", "zh"],
    ["en", "en"],
    ["EN-us;q=0.7, zh;q=0.2", "en"],
    ["en;q=0.2,zh-TW;q=0.9", "zh"],
    ["de,en;q=0.1", "en"],
    ["en;q=0", "zh"],
    ["en;q=x", "zh"],
    [`${"de,".repeat(1_000)}en`, "zh"],
  ] as const) {
    expect([sent, errorLanguage(sent, "zh")]).toEqual([sent, language]);
  }
  expect(errorLanguage(null, "en")).toBe("en");
  expect(errorLanguage("zh", "en")).toBe("zh");
});
