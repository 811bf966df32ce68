import { screen } from "#testing/dom.ts";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { afterEach, expect, spyOn, test } from "bun:test";
import { t } from "#i18n/t.ts";
import { renderAt } from "#testing/render.tsx";
import { type Answer, serve } from "#testing/serve.ts";
import { AnswerView } from "./AnswerView.tsx";
import { FirstWords } from "./FirstWords.tsx";
import { ParameterPanel } from "./ParameterPanel.tsx";
import { useParameters } from "./use-parameters.ts";

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
  await renderPart(at);
}

async function renderPart(at: string) {
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
  // Each sentence stands once: neither the middle nor the picker repeats it.
  expect(screen.getAllByText("数据库错误")).toHaveLength(1);
  const untrue = new RegExp(`${t("playground.loading")}|${t("playground.noModel")}`);
  expect(screen.queryByText(untrue)).toBeNull();
  expect(screen.queryByPlaceholderText(untrue)).toBeNull();
});

test("while the models are being read, the middle says so and claims nothing", async () => {
  const { stop: end } = serve({});
  stop = end;
  const fetching = spyOn(globalThis, "fetch").mockImplementation(
    // Cast: the call under test never ends.
    (() => new Promise(() => {})) as unknown as typeof fetch,
  );
  await renderPart("/playground");
  expect(screen.getByRole("status").textContent).toBe(t("playground.loading"));
  expect(screen.queryByText(new RegExp(t("playground.noModel")))).toBeNull();
  fetching.mockRestore();
});

test("a failed answer says its reason once, without the code", async () => {
  const message = "主渠道：上游出错 (500)：disk full";
  const fault = { message, code: "bad_response_status_code" };
  const answer = {
    role: "assistant",
    id: "a",
    content: "",
    reasoning: "",
    status: "error",
    fault,
    requestId: "r-1",
    model: "m",
    group: "default",
    firstMs: null,
    totalMs: null,
    charge: null,
  } as const;
  const ignore = (): void => undefined;
  await renderAt("/playground", () => (
    <AnswerView answer={answer} writing={false} busy={false} onRetry={ignore} onRemove={ignore} />
  ));
  expect(screen.getAllByText(message)).toHaveLength(1);
  expect(screen.queryByText(/bad_response_status_code/)).toBeNull();
});

test("a stopped answer says that its charge is pending until it is known, and never without a call", async () => {
  const stopped = {
    id: "a2",
    role: "assistant",
    content: "Roses are",
    reasoning: "",
    status: "incomplete",
    fault: null,
    requestId: "20261128",
    model: "m",
    group: "default",
    firstMs: 10,
    totalMs: 20,
    charge: null,
  } as const;
  const ignore = () => undefined;
  const show = async (change: object) => {
    const { container, unmount } = await renderAt("/playground", () => (
      <AnswerView
        answer={{ ...stopped, ...change }}
        writing={false}
        busy={false}
        onRetry={ignore}
        onRemove={ignore}
      />
    ));
    const said = container.textContent;
    unmount();
    return said;
  };
  expect(await show({})).toContain("已停止费用结算中");
  expect(await show({ charge: { quota: 30, input: 5, output: 4 } })).not.toContain("费用结算中");
  expect(await show({ requestId: null })).not.toContain("费用结算中");
  expect(await show({ status: "complete" })).not.toContain("费用结算中");
});

test("A-447: a removed group in the address is reported, and another one is used", async () => {
  await open("/playground?group=gone", { data: ["gpt-4o"] });
  expect(await screen.findByText("当前选择的分组不可用")).toBeTruthy();
  await open("/playground?group=default", { data: ["gpt-4o"] });
  await screen.findByText(/gpt-4o/);
  expect(screen.queryByText("当前选择的分组不可用")).toBeNull();
});
