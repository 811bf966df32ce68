import { expect, test } from "bun:test";
import { prettyText } from "./pretty-text.ts";

test("O-442: JSON is indented, any other text stays as it is", () => {
  expect(prettyText('{"a":[1,"二"]}')).toBe('{\n  "a": [\n    1,\n    "二"\n  ]\n}');
  for (const text of ["hello", "12345678901234567890", "", '{"cut":"o', "[hello]"]) {
    expect(prettyText(text)).toBe(text);
  }
});
