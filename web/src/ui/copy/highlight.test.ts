import { expect, test } from "bun:test";
import { highlight } from "./highlight.ts";

test("code is coloured by its language, under its usual names, and loses no character", async () => {
  const code = 'const a = "x"; // 注\n\nf(a);';
  const lines = await highlight(code, "ts");
  expect(lines?.map((line) => line.map(({ text }) => text).join("")).join("\n")).toBe(code);
  const colours = new Map(lines?.flat().map(({ text, colour }) => [text.trim(), colour]));
  expect(colours.get("const")).toBe("var(--accent-ink)");
  expect(colours.get("// 注")).toBe("var(--muted)");
});

test("every offered language can be coloured without WebAssembly", async () => {
  const names = ["bash", "css", "go", "html", "java", "js", "json", "md", "python", "rust"];
  for (const name of [...names, "sql", "typescript", "yaml"]) {
    expect(await highlight('{ "a": 1 } # x', name)).not.toBeNull();
  }
});

test("an unknown language is left as it is", async () => {
  expect(await highlight("+++", "brainfuck")).toBeNull();
  expect(await highlight("+++", "constructor")).toBeNull();
});
