import { act, fireEvent, screen, waitFor } from "#testing/dom.ts";
import { expect, test } from "bun:test";
import { renderAt } from "#testing/render.tsx";
import { CopyCell } from "./CopyCell.tsx";
import { CutText } from "./CutText.tsx";
import { InlineNumber } from "./InlineNumber.tsx";
import { readWhole } from "./read-whole.ts";
import { makeTimeWords, relativeTime } from "./relative-time.ts";
import { SwitchCell } from "./SwitchCell.tsx";

/** Makes a promise that the test resolves or rejects later. */
function later<Value = void>() {
  return Promise.withResolvers<Value>();
}

test("a name in Arabic takes its own direction, whatever the page's", async () => {
  await renderAt("/", () => <CutText>مفتاح الإنتاج</CutText>);
  expect(screen.getByText("مفتاح الإنتاج").getAttribute("dir")).toBe("auto");
});

test("a model's name that is cut keeps its end, and all of it is there to be searched", async () => {
  const { container } = await renderAt("/", () => (
    <CutText at="middle">claude-sonnet-4-5-20250929</CutText>
  ));
  expect(container.textContent).toBe("claude-sonnet-4-5-20250929");
  const parts = [...container.querySelectorAll("[data-middle] > span")];
  expect(parts.map((part) => part.textContent)).toEqual(["claude-sonnet-4-5-", "20250929"]);
});

test("a switch turns at once and stays when it is saved", async () => {
  const saved = later();
  await renderAt("/", () => (
    <SwitchCell checked={false} label="on" onChange={() => saved.promise} />
  ));
  const toggle = screen.getByRole<HTMLInputElement>("switch");
  fireEvent.click(toggle);
  expect(toggle.checked).toBe(true);
  await act(async () => saved.resolve());
  expect(toggle.checked).toBe(true);
});

test("a refused switch turns back and shows why", async () => {
  const refusal = later();
  await renderAt("/", () => <SwitchCell checked label="on" onChange={() => refusal.promise} />);
  const toggle = screen.getByRole<HTMLInputElement>("switch");
  fireEvent.click(toggle);
  expect(toggle.checked).toBe(false);
  await act(async () => refusal.reject(new Error("the record is locked")));
  expect(toggle.checked).toBe(true);
  expect((await screen.findAllByText("the record is locked")).length).toBeGreaterThan(0);
});

test("a switch takes no second press while the first one is saved", async () => {
  const saved = later();
  let calls = 0;
  const change = () => {
    calls++;
    return saved.promise;
  };
  await renderAt("/", () => <SwitchCell checked={false} label="on" onChange={change} />);
  fireEvent.click(screen.getByRole("switch"));
  fireEvent.click(screen.getByRole("switch"));
  expect(calls).toBe(1);
});

function type(input: HTMLInputElement, text: string): void {
  act(() => input.focus());
  fireEvent.change(input, { target: { value: text } });
}

test("O-151 O-152: a number below its floor becomes the floor, also while it is saved", async () => {
  const saved = later();
  const asked: number[] = [];
  await renderAt("/", () => (
    <InlineNumber
      value={5}
      label="weight"
      floor={0}
      onSave={(value) => {
        asked.push(value);
        return saved.promise;
      }}
    />
  ));
  const input = screen.getByLabelText<HTMLInputElement>("weight");
  type(input, "-5");
  act(() => input.blur());
  expect([asked, input.value]).toEqual([[0], "0"]);
  await act(async () => saved.resolve());
});

test("a number is saved by Enter, and by leaving it", async () => {
  const saved: number[] = [];
  const save = (value: number) => void saved.push(value);
  await renderAt("/", () => <InlineNumber value={5} label="weight" onSave={save} />);
  const input = screen.getByLabelText<HTMLInputElement>("weight");
  type(input, "6");
  fireEvent.keyDown(input, { key: "Enter" });
  await waitFor(() => expect(saved).toEqual([6]));
  type(input, "7");
  act(() => input.blur());
  await waitFor(() => expect(saved).toEqual([6, 7]));
});

test("Escape restores the old number and saves nothing", async () => {
  const saved: number[] = [];
  const save = (value: number) => void saved.push(value);
  await renderAt("/", () => <InlineNumber value={5} label="weight" onSave={save} />);
  const input = screen.getByLabelText<HTMLInputElement>("weight");
  type(input, "99");
  fireEvent.keyDown(input, { key: "Escape" });
  await act(async () => {});
  expect(input.value).toBe("5");
  expect(saved).toEqual([]);
});

test("a refused number is replaced by the old one, with the reason", async () => {
  const refusal = later();
  await renderAt("/", () => (
    <InlineNumber value={5} label="weight" onSave={() => refusal.promise} />
  ));
  const input = screen.getByLabelText<HTMLInputElement>("weight");
  type(input, "6");
  fireEvent.keyDown(input, { key: "Enter" });
  expect(input.value).toBe("6");
  await act(async () => refusal.reject(new Error("too heavy")));
  expect(input.value).toBe("5");
  expect((await screen.findAllByText("too heavy")).length).toBeGreaterThan(0);
});

test("a text that is no whole number within the limits is not saved", async () => {
  const saved: number[] = [];
  const save = (value: number) => void saved.push(value);
  await renderAt("/", () => (
    <InlineNumber value={5} label="weight" min={0} max={10} onSave={save} />
  ));
  const input = screen.getByLabelText<HTMLInputElement>("weight");
  for (const text of ["x", "1.5", "-1", "11"]) {
    type(input, text);
    expect(input.getAttribute("aria-invalid")).toBe("true");
    act(() => input.blur());
    expect(input.value).toBe("5");
  }
  expect(saved).toEqual([]);
});

test("O-153: a number that is cleared and left is ignored: nothing is saved, nothing is said", async () => {
  const saved: number[] = [];
  const save = (value: number) => void saved.push(value);
  await renderAt("/", () => <InlineNumber value={5} label="weight" onSave={save} />);
  const input = screen.getByLabelText<HTMLInputElement>("weight");
  type(input, " ");
  expect(input.getAttribute("aria-invalid")).toBeNull();
  act(() => input.blur());
  expect([input.value, saved]).toEqual(["5", []]);
  expect(screen.queryByRole("alert")).toBeNull();
  expect(screen.queryByText(/weight/)).toBeNull();
});

test("O-125: where rows have different numbers the field is empty, and a typed one is saved", async () => {
  const saved: number[] = [];
  const save = (value: number) => void saved.push(value);
  await renderAt("/", () => (
    <InlineNumber value={null} placeholder="mixed" label="weight" onSave={save} />
  ));
  const input = screen.getByLabelText<HTMLInputElement>("weight");
  expect([input.value, input.placeholder, input.getAttribute("aria-invalid")]).toEqual([
    "",
    "mixed",
    null,
  ]);
  act(() => input.focus());
  act(() => input.blur());
  expect(saved).toEqual([]);
  type(input, "6");
  fireEvent.keyDown(input, { key: "Enter" });
  await waitFor(() => expect(saved).toEqual([6]));
});

test("full-width figures of a Chinese input method are figures", () => {
  expect(readWhole("１２")).toBe(12);
  expect(readWhole(" +3 ")).toBe(3);
  expect(readWhole("1e3")).toBeNull();
  expect(readWhole("99999999999999999999")).toBeNull();
});

test("a masked key copies the key that is read, not the shown one", async () => {
  const copied: string[] = [];
  Object.defineProperty(navigator, "clipboard", {
    configurable: true,
    value: { writeText: async (text: string) => void copied.push(text) },
  });
  await renderAt("/", () => (
    <CopyCell text="ab••••yz" label="key" read={async () => "the whole key"} />
  ));
  fireEvent.click(screen.getByRole("button", { name: "复制 key" }));
  expect(await screen.findByRole("button", { name: "已复制" })).toBeTruthy();
  expect(copied).toEqual(["the whole key"]);
});

test("relative times in both languages: near and far, past and future", () => {
  const zh = makeTimeWords("刚刚", "zh-CN");
  const en = makeTimeWords("just now", "en");
  const now = 1_800_000_000;
  expect(relativeTime(now - 2, now, zh)).toBe("刚刚");
  expect(relativeTime(now - 42, now, zh)).toBe("42 秒前");
  expect(relativeTime(now - 3 * 60, now, zh)).toBe("3 分钟前");
  expect(relativeTime(now + 2 * 86_400, now, zh)).toBe("2 天后");
  expect(relativeTime(now - 3600, now, en)).toBe("1 hr. ago");
  expect(relativeTime(now - 31 * 86_400, now, en)).toMatch(/^\d{4}-\d{2}-\d{2}$/);
});
