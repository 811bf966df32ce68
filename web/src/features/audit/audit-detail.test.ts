import { expect, test } from "bun:test";
import { readDetail } from "./audit-detail.ts";

test("P-S8: values before and after stand side by side, in both formats of the detail", () => {
  expect(readDetail('{"before":null,"after":"sha256:ab12"}')).toEqual({
    kind: "facts",
    facts: [{ name: "", before: "–", after: "sha256:ab12" }],
  });
  expect(readDetail('{"before":{"role":1},"after":{"role":10,"status":1}}')).toEqual({
    kind: "facts",
    facts: [
      { name: "role", before: "1", after: "10" },
      { name: "status", before: "–", after: "1" },
    ],
  });
  expect(readDetail('{"ModelRatio.gpt":["1",null],"method":"github"}')).toEqual({
    kind: "facts",
    facts: [
      { name: "ModelRatio.gpt", before: "1", after: "–" },
      { name: "method", before: null, after: "github" },
    ],
  });
});

test("a list of two records is no change of the one to the other", () => {
  const missing = [{ write: "a" }, { write: "b" }];
  expect(readDetail(JSON.stringify({ missing }))).toEqual({
    kind: "facts",
    facts: [{ name: "missing", before: null, after: '[{"write":"a"},{"write":"b"}]' }],
  });
});

test("a detail that was cut, and so is no JSON, is shown as it is", () => {
  expect(readDetail("")).toEqual({ kind: "none" });
  expect(readDetail("{}")).toEqual({ kind: "none" });
  for (const text of ['{"before":"cut', "[1,2]", "7"]) {
    expect(readDetail(text)).toEqual({ kind: "text", text });
  }
});
