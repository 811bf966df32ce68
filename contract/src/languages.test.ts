import { expect, test } from "bun:test";
import { languageOf } from "./languages.ts";

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
