import "#testing/texts.ts";
import { renderHook } from "#testing/dom.ts";
import { expect, test } from "bun:test";
import { useT } from "#i18n/t.ts";
import { bulkActions } from "./channel-actions.tsx";

test("O-162 O-163: without a selection, deleting and tagging say what to select", () => {
  const { result } = renderHook(() => useT());
  // Safe cast: none of the actions is run here, so they need nothing but their texts.
  const deps = { t: result.current } as unknown as Parameters<typeof bulkActions>[0];
  const said = new Map(bulkActions(deps).map(({ key, unselected }) => [key, unselected]));
  expect(said.get("remove")).toBe("请先选择要删除的通道！");
  expect(said.get("tag")).toBe("请先选择要设置标签的渠道！");
});
