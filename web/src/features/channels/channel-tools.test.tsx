import { screen } from "#testing/dom.ts";
import { afterEach, expect, test } from "bun:test";
import { z } from "zod";
import { FormSheet } from "#ui/form/FormSheet.tsx";
import { useListSearch } from "#ui/table/list-search.ts";
import { press } from "#testing/act.ts";
import { renderAt } from "#testing/render.tsx";
import { serve } from "#testing/serve.ts";
import { channelSearch } from "./channels.search.ts";
import { ListModes } from "./ChannelTools.tsx";
import { FetchModels } from "./form/FetchModels.tsx";

let stop = () => {};
afterEach(() => stop());

test("A-435: if the upstream's models cannot be listed, the reason is shown", async () => {
  ({ stop } = serve({ "POST /api/channel/fetch_models": "上游返回 401" }));
  const values = { type: 1, base_url: "", other: "", key: "k", models: [], model_mapping: "" };
  await renderAt("/channel?open=1", () => (
    <FormSheet
      open
      title="渠道"
      schema={z.object({})}
      values={values}
      onSubmit={async () => undefined}
      onClose={() => undefined}
    >
      <FetchModels canList id={1} />
    </FormSheet>
  ));
  await press(await screen.findByRole("button", { name: "从上游获取模型列表" }));
  expect((await screen.findAllByText("获取模型列表失败")).length).toBeGreaterThan(0);
  expect(screen.getAllByText("上游返回 401").length).toBeGreaterThan(0);
});

test("what is fetched for a new channel is chosen at once, in a saved channel nothing is", async () => {
  ({ stop } = serve({ "POST /api/channel/fetch_models": { data: ["m-10", "m-2", "kept"] } }));
  for (const [id, checked, apply] of [
    // Three models, and the boxes of both groups.
    [undefined, 5, "应用（添加 2 个，移除 1 个）"],
    [1, 0, "应用"],
  ] as const) {
    const models = ["kept", "gone"];
    const values = { type: 1, base_url: "", other: "", key: "k", models, model_mapping: "" };
    const { unmount } = await renderAt("/channel?open=1", () => (
      <FormSheet
        open
        title="渠道"
        schema={z.object({})}
        values={values}
        onSubmit={async () => undefined}
        onClose={() => undefined}
      >
        <FetchModels canList id={id} />
      </FormSheet>
    ));
    await press(await screen.findByRole("button", { name: "从上游获取模型列表" }));
    const boxes = await screen.findAllByRole<HTMLInputElement>("checkbox");
    expect(boxes.filter((box) => box.checked)).toHaveLength(checked);
    expect(screen.getByRole<HTMLButtonElement>("button", { name: apply }).disabled).toBe(id === 1);
    unmount();
  }
});

function Modes() {
  const [search, setSearch] = useListSearch(channelSearch);
  return <ListModes search={search} onSearch={setSearch} />;
}

test("A-373: the order by id is stored under its key, and survives a reload", async () => {
  const order = () => screen.getByRole<HTMLInputElement>("switch", { name: "ID 排序" });
  await renderAt("/channel", () => <Modes />);
  expect(order().checked).toBe(false);
  await press(order());
  expect([localStorage.getItem("id-sort"), order().checked]).toEqual(["true", true]);
  await renderAt("/channel", () => <Modes />);
  expect(order().checked).toBe(true);
  await press(order());
  expect([localStorage.getItem("id-sort"), order().checked]).toEqual(["false", false]);
});
