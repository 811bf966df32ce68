import { screen } from "#testing/dom.ts";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { afterEach, expect, setDefaultTimeout, test } from "bun:test";
import { renderAt } from "#testing/render.tsx";
import { type Answer, serve } from "#testing/serve.ts";
import { FirstWords } from "./FirstWords.tsx";
import { ParameterPanel } from "./ParameterPanel.tsx";
import { useParameters } from "./use-parameters.ts";

setDefaultTimeout(30_000);

let stop = () => {};
afterEach(() => stop());

function Part() {
  const parameters = useParameters();
  return (
    <>
      <FirstWords parameters={parameters} />
      <ParameterPanel
        parameters={parameters}
        system=""
        onSystem={() => undefined}
        onSystemEnd={() => undefined}
      />
    </>
  );
}

async function open(at: string, models: Answer) {
  const groups = { data: { default: { ratio: 1, desc: "", description: "" } } };
  const server = serve({ "GET /api/user/self/groups": groups, "GET /api/user/models": models });
  stop = server.stop;
  const queries = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  await renderAt(at, () => (
    <QueryClientProvider client={queries}>
      <Part />
    </QueryClientProvider>
  ));
}

test("A-435: if the models cannot be listed, the reason is shown", async () => {
  await open("/playground", "数据库错误");
  expect(await screen.findByText("获取模型列表失败")).toBeTruthy();
  expect(screen.getByText("数据库错误")).toBeTruthy();
});

test("A-447: a removed group in the address is reported, and another one is used", async () => {
  await open("/playground?group=gone", { data: ["gpt-4o"] });
  expect(await screen.findByText("当前选择的分组不可用")).toBeTruthy();
  await open("/playground?group=default", { data: ["gpt-4o"] });
  await screen.findByText(/gpt-4o/);
  expect(screen.queryByText("当前选择的分组不可用")).toBeNull();
});
