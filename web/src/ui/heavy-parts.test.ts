import { expect, test } from "bun:test";
import { dirname, join } from "node:path";

/** Large packages, which may be loaded only when a part that needs them is first shown. */
const heavy = [
  "react-day-picker",
  "date-fns",
  "streamdown",
  "shiki",
  "qrcode.react",
  "@codemirror/",
];

const source = dirname(import.meta.dir);
const transpilers = {
  ts: new Bun.Transpiler({ loader: "ts" }),
  tsx: new Bun.Transpiler({ loader: "tsx" }),
};

/**
 * Finds the files and packages that are loaded by a static import of `file`, directly or through
 * other files.
 */
async function broughtBy(file: string, seen = new Set<string>()): Promise<ReadonlySet<string>> {
  if (seen.has(file)) return seen;
  seen.add(file);
  const code = await Bun.file(file).text();
  const transpiler = file.endsWith(".tsx") ? transpilers.tsx : transpilers.ts;
  for (const { kind, path } of transpiler.scanImports(code)) {
    if (kind !== "import-statement" || /\.(css|json)$/.test(path)) continue;
    if (path.startsWith("#")) await broughtBy(join(source, path.slice(1)), seen);
    else if (path.startsWith(".")) await broughtBy(join(dirname(file), path), seen);
    else seen.add(path);
  }
  return seen;
}

const parts = [
  "controls/Button.tsx",
  "controls/Combobox.tsx",
  "copy/CodeBlock.tsx",
  "date/DateTimePicker.tsx",
  "date/DateTimeRange.tsx",
  "editor/JsonEditor.tsx",
  "markdown/Markdown.tsx",
  "overlays/KitRoot.tsx",
  "picture/QrCode.tsx",
];

for (const part of parts) {
  test(`${part} loads no heavy package before it is used`, async () => {
    const brought = await broughtBy(join(import.meta.dir, part));
    expect([...brought].filter((name) => heavy.some((each) => name.startsWith(each)))).toEqual([]);
  });
}

test("a button loads nothing but its own look", async () => {
  const brought = await broughtBy(join(import.meta.dir, "controls/Button.tsx"));
  const files = [...brought].filter((name) => name.startsWith(source)).length;
  expect(files).toBeLessThanOrEqual(4);
  expect([...brought].some((name) => name.startsWith("@base-ui/"))).toBe(false);
});

test("the walk finds what a heavy part loads", async () => {
  const brought = await broughtBy(join(import.meta.dir, "date/Calendar.tsx"));
  expect(brought.has("react-day-picker")).toBe(true);
});
