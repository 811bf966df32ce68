import { screen } from "#testing/dom.ts";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { expect, test } from "bun:test";
import { logType } from "@tollgate/contract/endpoints/logs.ts";
import { setLanguage, useT } from "#i18n/t.ts";
import { renderAt } from "#testing/render.tsx";
import { RowDetail } from "#ui/table/rows/RowDetail.tsx";
import { savedByPromptCache } from "@tollgate/contract/logs/cached-tokens.ts";
import { LogDetails } from "./LogDetails.tsx";
import { type LogView, viewOf } from "./log-view.ts";
import { logColumns } from "./logs.columns.tsx";

await setLanguage("zh");

function Record({ row }: { readonly row: LogView }) {
  const t = useT();
  const columns = logColumns({
    t,
    isAdmin: true,
    isRoot: true,
    onFilter: () => {},
    onUser: () => {},
  });
  return (
    <RowDetail row={row} columns={columns}>
      <LogDetails row={row} isRoot />
    </RowDetail>
  );
}

const noCall: LogView = viewOf({
  id: 3,
  user_id: 7,
  username: "alice",
  created_at: 1_795_386_747,
  type: logType.enum.topup,
  content: "管理员给你加了钱",
  token_id: 0,
  token_name: "",
  model_name: "",
  quota: 500_000,
  prompt_tokens: 0,
  completion_tokens: 0,
  use_time: 0,
  is_stream: false,
  group: "",
  other: "",
  channel: 0,
  request_id: "",
  usage_source: "",
  seen_output: 0,
  conversation_id: 0,
  placement: "",
  moved_quota: 0,
  tool_names: [],
  tags: [],
  ending: "",
  price_version: 0,
  losses: [],
  reversed: false,
  refunded: 0,
  rerated: 0,
});

const namesShown = (): string[] =>
  screen.getAllByRole("term").map(({ textContent }) => textContent ?? "");

test("the record of a row that is no call names what there is, and shows no dash for the rest", async () => {
  await renderAt("/log", () => <Record row={noCall} />);
  await screen.findByText("管理员给你加了钱");
  expect(namesShown()).toEqual(["时间", "用户 / IP", "类型", "费用"]);
  expect(screen.queryByText("–")).toBeNull();
});

test("the record of a call keeps its zeros", async () => {
  const failed = { ...noCall, type: logType.enum.failure, model_name: "gpt-4o", quota: 0 };
  await renderAt("/log", () => <Record row={failed} />);
  await screen.findByText("gpt-4o");
  expect(namesShown()).toEqual(expect.arrayContaining(["模型", "输入", "输出"]));
});

test("the record of a charge that was refunded shows both amounts", async () => {
  const refunded = { ...noCall, type: logType.enum.consumption, quota: 500_000, refunded: 500_000 };
  await renderAt("/log", () => (
    <QueryClientProvider client={new QueryClient()}>
      <Record row={refunded} />
    </QueryClientProvider>
  ));
  expect((await screen.findAllByText("已退款")).length).toBeGreaterThan(0);
  expect(namesShown()).toEqual(expect.arrayContaining(["费用", "已退款"]));
  expect(screen.getAllByText("$1.00").length).toBeGreaterThan(1);
});

test("the record says in the reader's words where the counts come from, and groups their digits", async () => {
  const counted = {
    ...noCall,
    type: logType.enum.consumption,
    usage_source: "upstream+seen",
    seen_output: 1_234_567,
    details: { usage_doubt: "the upstream did not tell the prompt" },
  };
  await renderAt("/log", () => (
    <QueryClientProvider client={new QueryClient()}>
      <Record row={counted} />
    </QueryClientProvider>
  ));
  expect(await screen.findByText(/1,234,567 个 Token/)).toBeTruthy();
  expect(screen.getByText("上游未返回输入用量")).toBeTruthy();
});

test("the record of a dear turn says why: where its conversation went, what the cache had, and what else there was", async () => {
  const turn = {
    ...noCall,
    type: logType.enum.consumption,
    conversation_id: 4_004,
    placement: "moved cooldown 1795386800",
    prompt_tokens: 1_000,
    candidates: "3,5:cooldown;7",
    details: {
      cache_tokens: 250,
      cache_ratio: 0.1,
      model_ratio: 4,
      group_ratio: 1,
      model_price: -1,
      admin_info: { use_channel: ["3"] },
    },
  };
  await renderAt("/log", () => (
    <QueryClientProvider client={new QueryClient()}>
      <Record row={turn} />
    </QueryClientProvider>
  ));
  expect(await screen.findByText(/^已转移：原位置冷却至 /)).toBeTruthy();
  expect(screen.getByText(/25%/)).toBeTruthy();
  expect(screen.getByRole("link", { name: "查看全部轮次" }).getAttribute("href")).toContain("4004");
  const why = screen.getByRole("list", { name: "为何选择此渠道" });
  expect(why.textContent).toBe("#3已选用#5正在冷却#7排在后面：优先级更低或成本更高");
  expect(savedByPromptCache(turn.details)).toBe(900);
  expect(savedByPromptCache({ ...turn.details, model_price: 0.01 })).toBe(0);
});
