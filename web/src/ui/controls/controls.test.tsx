import { fireEvent, freshBrowser, render, screen, waitFor } from "#testing/dom.ts";
import { beforeEach, expect, mock, test } from "bun:test";
import { useState } from "react";
import { KitRoot } from "#ui/overlays/KitRoot.tsx";
import { Button } from "./Button.tsx";
import { Checkbox } from "./Checkbox.tsx";
import { Combobox } from "./Combobox.tsx";
import { MultiCombobox } from "./MultiCombobox.tsx";
import { NumberInput } from "./NumberInput.tsx";
import { PasswordInput } from "./PasswordInput.tsx";
import { SearchInput } from "./SearchInput.tsx";
import { Select } from "./Select.tsx";
import { TagInput } from "./TagInput.tsx";

beforeEach(freshBrowser);

const models = ["gpt-4o", "gpt-4o-mini", "claude-opus-4"].map((value) => ({
  value,
  label: value,
}));

function type(field: HTMLElement, text: string) {
  fireEvent.focus(field);
  // The controls under test read only `inputType` of the event.
  fireEvent.input(field, { target: { value: text }, inputType: "insertText" });
}

test("a password can be shown, read and hidden again without losing it", () => {
  render(<PasswordInput aria-label="密码" defaultValue="correct horse" />);
  const field = screen.getByLabelText<HTMLInputElement>("密码");
  expect(field.type).toBe("password");
  fireEvent.click(screen.getByRole("button", { name: "显示密码" }));
  expect(field.type).toBe("text");
  expect(field.value).toBe("correct horse");
  fireEvent.click(screen.getByRole("button", { name: "隐藏密码" }));
  expect(field.type).toBe("password");
});

test("caps lock is reported while a password is typed, and not after leaving the field", () => {
  render(<PasswordInput aria-label="密码" />);
  const field = screen.getByLabelText("密码");
  const key = new KeyboardEvent("keyup", { key: "A", bubbles: true });
  key.getModifierState = (name) => name === "CapsLock";
  fireEvent(field, key);
  const hint = screen.getByText("大写锁定已打开");
  expect(field.getAttribute("aria-describedby")).toBe(hint.id);
  fireEvent.blur(field);
  expect(screen.queryByText("大写锁定已打开") === null).toBe(true);
});

test("a loading button takes no second press and keeps the focus", () => {
  const press = mock();
  const { rerender } = render(<Button onClick={press}>保存</Button>);
  const button = screen.getByRole("button", { name: "保存" });
  fireEvent.click(button);
  rerender(
    <Button onClick={press} loading>
      保存
    </Button>,
  );
  fireEvent.click(button);
  expect(press).toHaveBeenCalledTimes(1);
  expect(button.hasAttribute("disabled")).toBe(false);
});

test("a mixed checkbox is neither ticked nor empty to a screen reader", () => {
  render(<Checkbox checked="mixed" onChange={() => undefined} label="全选" />);
  expect(screen.getByRole<HTMLInputElement>("checkbox").indeterminate).toBe(true);
});

test("the shortcut of a search field focuses it, but not from another field", () => {
  render(
    <>
      <SearchInput value="" onChange={() => undefined} placeholder="搜索" shortcut="/" />
      <input aria-label="别处" />
    </>,
  );
  const elsewhere = screen.getByLabelText("别处");
  elsewhere.focus();
  fireEvent.keyDown(elsewhere, { key: "/" });
  expect(document.activeElement === elsewhere).toBe(true);
  elsewhere.blur();
  fireEvent.keyDown(document.body, { key: "/" });
  expect(document.activeElement === screen.getByPlaceholderText("搜索")).toBe(true);
});

test("a number field keeps every digit of a small price and is null when it is empty", () => {
  const change = mock();
  render(<NumberInput aria-label="价格" value={0.000162} onChange={change} />);
  const field = screen.getByLabelText<HTMLInputElement>("价格");
  expect(field.value).toBe("0.000162");
  type(field, "");
  expect(change.mock.lastCall?.[0]).toBeNull();
  type(field, "12.5");
  expect(change.mock.lastCall?.[0]).toBe(12.5);
});

function press(element: HTMLElement) {
  fireEvent.pointerDown(element, { pointerType: "mouse" });
  fireEvent.click(element);
}

test("a select shows the label of its value and gives the chosen one", async () => {
  const change = mock();
  render(<Select aria-label="模型" items={models} value="gpt-4o" onChange={change} />);
  const field = screen.getByLabelText("模型");
  expect(field.textContent).toContain("gpt-4o");
  fireEvent.click(field);
  press(await screen.findByRole("option", { name: "claude-opus-4" }));
  await waitFor(() => expect(change.mock.lastCall?.[0]).toBe("claude-opus-4"));
});

test("any text is a value of a creatable combobox: Enter takes the typed text, not a similar choice", async () => {
  const change = mock();
  render(<Combobox aria-label="模型" items={models} value={null} onChange={change} creatable />);
  const field = screen.getByLabelText("模型");
  type(field, "gpt-4");
  await screen.findByRole("option", { name: "使用“gpt-4”" });
  fireEvent.keyDown(field, { key: "Enter" });
  expect(change.mock.calls).toEqual([["gpt-4"]]);
});

test("leaving a creatable combobox keeps the typed text", async () => {
  const change = mock();
  render(<Combobox aria-label="模型" items={models} value={null} onChange={change} creatable />);
  const field = screen.getByLabelText("模型");
  type(field, "my-model");
  fireEvent.blur(field);
  expect(change.mock.calls).toEqual([["my-model"]]);
});

test("a combobox that is not creatable offers matches and takes nothing else", async () => {
  const change = mock();
  render(<Combobox aria-label="模型" items={models} value={null} onChange={change} />);
  const field = screen.getByLabelText("模型");
  type(field, "mini");
  const options = await screen.findAllByRole("option");
  expect(options.map((option) => option.textContent)).toEqual(["gpt-4o-mini"]);
  press(options[0] ?? field);
  await waitFor(() => expect(change.mock.calls).toEqual([["gpt-4o-mini"]]));
  type(field, "nothing like it");
  fireEvent.blur(field);
  expect(change).toHaveBeenCalledTimes(1);
});

test("a pasted list becomes chips at once, without those that are there already", () => {
  const change = mock();
  render(
    <MultiCombobox aria-label="模型" items={models} value={["a"]} onChange={change} creatable />,
  );
  fireEvent.paste(screen.getByLabelText("模型"), {
    clipboardData: { getData: () => "a,b\nc" },
  });
  expect(change.mock.calls).toEqual([[["a", "b", "c"]]]);
});

test("a list of thousands has only its visible rows in the page", async () => {
  const many = Array.from({ length: 3_000 }, (_, index) => ({
    value: String(index),
    label: `model ${index}`,
  }));
  render(<Combobox aria-label="模型" items={many} value={null} onChange={() => undefined} />);
  type(screen.getByLabelText("模型"), "model");
  await screen.findByRole("listbox");
  expect(screen.queryAllByRole("option").length).toBeLessThan(100);
});

test("a composition of an input method never makes a tag; the Enter after it does", () => {
  const seen: string[][] = [];
  function Tags() {
    const [value, setValue] = useState<string[]>([]);
    return (
      <TagInput
        aria-label="标签"
        value={value}
        onChange={(next) => {
          seen.push(next);
          setValue(next);
        }}
      />
    );
  }
  render(
    <KitRoot>
      <Tags />
    </KitRoot>,
  );
  const field = screen.getByLabelText("标签");
  type(field, "渠道");
  fireEvent.keyDown(field, { key: "Enter", isComposing: true });
  expect(seen).toEqual([]);
  fireEvent.keyDown(field, { key: "Enter" });
  expect(seen).toEqual([["渠道"]]);
  fireEvent.click(screen.getByRole("button", { name: "移除 渠道" }));
  expect(seen.at(-1)).toEqual([]);
});

test("Escape in a closed combobox clears nothing, and reaches the sheet around it", () => {
  const change = mock();
  const heard = mock();
  render(
    <div onKeyDown={heard}>
      <Combobox aria-label="模型" items={models} value="a" onChange={change} clearable />
      <MultiCombobox aria-label="多个" items={models} value={["a"]} onChange={change} />
    </div>,
  );
  for (const name of ["模型", "多个"]) {
    fireEvent.keyDown(screen.getByRole("combobox", { name }), { key: "Escape" });
  }
  expect(change).not.toHaveBeenCalled();
  expect(heard).toHaveBeenCalledTimes(2);
});
