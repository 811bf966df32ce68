import { fireEvent, freshBrowser, render, screen, waitFor } from "#testing/dom.ts";
import { beforeEach, expect, mock, test } from "bun:test";
import { useState } from "react";
import { KitRoot } from "#ui/overlays/KitRoot.tsx";
import { SuggestFilter } from "./SuggestFilter.tsx";

beforeEach(freshBrowser);

const names = ["alice", "alina", "bob"];

function renderFilter(first = "") {
  const seen = mock();
  const find = mock(async (text: string) => {
    const found = names.filter((name) => name.includes(text));
    return await Promise.resolve(found.map((name) => ({ value: name, label: name })));
  });
  const suggestions = { find, read: (text: string) => (text === "?" ? null : `${text}%`) };
  function Filter() {
    const [value, setValue] = useState(first);
    return (
      <SuggestFilter
        label="用户"
        suggestions={suggestions}
        value={value}
        onChange={(next) => {
          seen(next);
          setValue(next ?? "");
        }}
      />
    );
  }
  render(
    <KitRoot>
      <Filter />
    </KitRoot>,
  );
  return { seen, find };
}

const field = (): HTMLInputElement => screen.getByRole("combobox", { name: "用户" });

test("what is typed suggests values, and a suggestion that is taken is the whole value", async () => {
  const { seen } = renderFilter();
  field().focus();
  fireEvent.change(field(), { target: { value: "ali" } });
  await waitFor(() => expect(screen.queryByRole("option", { name: "bob" })).toBeNull());
  fireEvent.click(await screen.findByRole("option", { name: "alina" }));
  expect(seen.mock.calls).toEqual([["alina"]]);
});

test("Enter takes the typed text as a beginning, which stands in the field as one", async () => {
  const { seen } = renderFilter();
  field().focus();
  fireEvent.change(field(), { target: { value: "ali" } });
  await screen.findByRole("option", { name: "alice" });
  fireEvent.keyDown(field(), { key: "Enter" });
  expect(seen.mock.calls).toEqual([["ali%"]]);
  await waitFor(() => expect(field().value).toBe("ali…"));
});

test("a text that no row can have sets nothing", async () => {
  const { seen } = renderFilter();
  field().focus();
  fireEvent.change(field(), { target: { value: "?" } });
  await screen.findByRole("option");
  fireEvent.keyDown(field(), { key: "Enter" });
  expect(seen.mock.calls).toEqual([]);
});

test("a beginning from the address is shown as one, and asks for nothing", async () => {
  const { find } = renderFilter("ali%");
  await waitFor(() => expect(field().value).toBe("ali…"));
  expect(find.mock.calls).toEqual([]);
});

test("a provider's key is searched nowhere, and its mask alone is taken", async () => {
  const { seen, find } = renderFilter();
  field().focus();
  fireEvent.change(field(), { target: { value: "sk-Rc6l9abcdefghijklmnop1234" } });
  await screen.findByRole("option");
  fireEvent.keyDown(field(), { key: "Enter" });
  expect(JSON.stringify(seen.mock.calls)).toContain("sk-Rc6l••••1234");
  expect(JSON.stringify([seen.mock.calls, find.mock.calls])).not.toContain("9abcdefgh");
});
