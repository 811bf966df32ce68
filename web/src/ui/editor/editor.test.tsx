import { act, fireEvent, screen } from "#testing/dom.ts";
import { afterEach, beforeEach, expect, mock, test } from "bun:test";
import { useState } from "react";
import { renderAt } from "#testing/render.tsx";
import { JsonEditor } from "./JsonEditor.tsx";
import { KeyValueEditor } from "./KeyValueEditor.tsx";
import type { Pair } from "./pairs.ts";

const { matchMedia } = window;
afterEach(() => {
  window.matchMedia = matchMedia;
});

/**
 * Simulates a touch screen, where the editor is the plain text area that is otherwise shown only
 * until CodeMirror is loaded.
 */
beforeEach(() => {
  window.matchMedia = mock((query: string) =>
    Object.assign(new EventTarget(), {
      matches: query.includes("coarse"),
      media: query,
    }),
  ) as unknown as typeof window.matchMedia; // safe cast: the code uses only these fields
});

const press = async (name: string) =>
  await act(async () => void fireEvent.click(screen.getByRole("button", { name })));
const type = async (label: string, value: string) =>
  await act(async () => void fireEvent.change(screen.getByLabelText(label), { target: { value } }));

function Pairs({ first }: { first: readonly Pair[] }) {
  const [value, setValue] = useState(first);
  return (
    <>
      <KeyValueEditor value={value} onChange={setValue} keyLabel="模型" valueLabel="上游" />
      <pre data-testid="pairs">{JSON.stringify(value)}</pre>
    </>
  );
}
const readPairs = (): unknown => JSON.parse(screen.getByTestId("pairs").textContent ?? "null");

test("rows can be added, typed in and removed", async () => {
  await renderAt("/x", () => <Pairs first={[]} />);
  await press("添加一行");
  await type("模型，第 1 行", "a");
  await type("上游，第 1 行", "1");
  await press("添加一行");
  await type("模型，第 2 行", "b");
  expect(readPairs()).toEqual([
    ["a", "1"],
    ["b", ""],
  ]);
  await press("删除第 1 行");
  expect(readPairs()).toEqual([["b", ""]]);
});

test("a repeated key stays, each with a warning", async () => {
  await renderAt("/x", () => (
    <Pairs
      first={[
        ["a", "1"],
        ["b", "2"],
      ]}
    />
  ));
  await type("模型，第 2 行", "a");
  expect(screen.getAllByText("重复的键，只有最后一个生效")).toHaveLength(2);
  expect(readPairs()).toEqual([
    ["a", "1"],
    ["a", "2"],
  ]);
  await type("模型，第 1 行", "c");
  expect(screen.queryByText("重复的键，只有最后一个生效")).toBeNull();
});

function Json({ first, onValidity }: { first: string; onValidity: (valid: boolean) => void }) {
  const [value, setValue] = useState(first);
  return <JsonEditor label="映射" value={value} onChange={setValue} onValidity={onValidity} />;
}
const editor = () => screen.getByLabelText<HTMLTextAreaElement>("映射");

test("an error names its line, and goes when it is corrected", async () => {
  const onValidity = mock();
  await renderAt("/x", () => <Json first={'{\n"a": 1,\n}'} onValidity={onValidity} />);
  expect(screen.queryByText("第 3 行：这里不合 JSON 语法")).not.toBeNull();
  expect(editor().getAttribute("aria-invalid")).toBe("true");
  expect(onValidity).toHaveBeenLastCalledWith(false);

  await type("映射", '{"a":1}');
  expect(screen.queryByText("JSON 有效")).not.toBeNull();
  expect(onValidity).toHaveBeenLastCalledWith(true);
  await press("格式化");
  expect(editor().value).toBe('{\n  "a": 1\n}');
});

test("an empty text is no error, and invalid JSON is not formatted", async () => {
  const onValidity = mock();
  await renderAt("/x", () => <Json first=" " onValidity={onValidity} />);
  expect(onValidity).toHaveBeenLastCalledWith(true);
  await type("映射", "{");
  expect(screen.getByRole<HTMLButtonElement>("button", { name: "格式化" }).disabled).toBe(true);
});
