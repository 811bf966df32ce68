import { render, screen } from "#testing/dom.ts";
import { expect, test } from "bun:test";
import { setLanguage } from "#i18n/t.ts";
import { GroupPicker } from "./GroupPicker.tsx";
import type { GroupMap } from "./group-items.ts";

const groups: GroupMap = { default: { ratio: 1, desc: "" } };

function show(value: string, given: GroupMap | undefined) {
  return render(
    <GroupPicker groups={given} value={value} onChange={() => undefined} emptyLabel="own" />,
  );
}

test("A-447: a chosen group that was removed is reported, in both languages", async () => {
  const { unmount } = show("gone", groups);
  expect(screen.getByRole("alert").textContent).toBe("当前选择的分组不可用");
  unmount();
  await setLanguage("en");
  show("gone", groups);
  expect(screen.getByRole("alert").textContent).toBe("The currently selected group is unavailable");
});

test("an existing group, no group, and a list that is still loading are no fault", () => {
  for (const [value, given] of [
    ["default", groups],
    ["", groups],
    ["default", undefined],
  ] as const) {
    const { unmount } = show(value, given);
    expect(screen.queryByRole("alert")).toBeNull();
    unmount();
  }
});
