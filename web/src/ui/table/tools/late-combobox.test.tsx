import { fireEvent, freshBrowser, render, screen, waitFor } from "#testing/dom.ts";
import { beforeEach, expect, mock, test } from "bun:test";
import { useState } from "react";
import { KitRoot } from "#ui/overlays/KitRoot.tsx";
import { LateCombobox } from "./LateCombobox.tsx";

beforeEach(freshBrowser);

const items = ["gpt-4o", "gpt-4o-mini", "claude-opus-4"].map((value) => ({ value, label: value }));

function renderFilter(first: string) {
  const seen = mock();
  function Filter() {
    const [value, setValue] = useState(first);
    return (
      <LateCombobox
        label="模型"
        items={items}
        value={value}
        creatable={false}
        onChange={(next) => {
          seen(next);
          setValue(String(next ?? ""));
        }}
      />
    );
  }
  render(
    <KitRoot>
      <Filter />
    </KitRoot>,
  );
  return seen;
}

const field = (): HTMLInputElement => screen.getByRole("combobox", { name: "模型" });

test("what was typed before the combobox was there is searched for, and Enter chooses it", async () => {
  const seen = renderFilter("");
  const standIn = field();
  standIn.focus();
  fireEvent.change(standIn, { target: { value: "opus" } });
  await screen.findByRole("option", { name: "claude-opus-4" });
  expect(screen.getAllByRole("option").length).toBe(1);
  expect([field().value, document.activeElement === field()]).toEqual(["opus", true]);
  fireEvent.keyDown(field(), { key: "Enter" });
  expect(seen.mock.calls).toEqual([["claude-opus-4"]]);
});

test("a filter with a long label is wider, so that the label is not cut", () => {
  const widthOf = (label: string): string | undefined => {
    const { container, unmount } = render(
      <LateCombobox label={label} items={[]} value="" creatable={false} onChange={() => {}} />,
    );
    const width = /md:w-\d+/.exec(container.innerHTML)?.[0];
    unmount();
    return width;
  };
  expect(widthOf("Model")).toBe("md:w-36");
  expect(widthOf("Conversation")).toBe("md:w-40");
});

test("one press opens the choices, also when the combobox was not there yet", async () => {
  renderFilter("");
  field().focus();
  fireEvent.click(field());
  await waitFor(() => expect(screen.getAllByRole("option").length).toBe(items.length));
});

test("a filter that the address has shows its choice, and takes no focus", async () => {
  renderFilter("gpt-4o");
  await waitFor(() => expect(field().value).toBe("gpt-4o"));
  expect(document.activeElement).toBe(document.body);
});
