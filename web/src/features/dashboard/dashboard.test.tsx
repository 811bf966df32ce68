import { act, fireEvent, screen, waitFor, within } from "#testing/dom.ts";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { afterEach, expect, test } from "bun:test";
import type { Dashboard, Line } from "@tollgate/contract/endpoints/dashboard.ts";
import { keepSession } from "#api/session.ts";
import { statusStore } from "#api/status.ts";
import { renderAt } from "#testing/render.tsx";
import { type Answer, serve } from "#testing/serve.ts";
import { csvOf } from "#ui/chart/ChartCard.tsx";
import { statusWith } from "#widgets/testing/status.ts";
import { bucketText } from "./bucket-text.ts";
import { changeOf, chartOf, showChange, showShare } from "./chart-values.ts";
import { DashboardScreen } from "./DashboardScreen.tsx";

let stop = () => {};
afterEach(() => {
  stop();
  act(() => keepSession(null));
});

const hour = 3_600;
const at = (text: string): number => Date.parse(text) / 1_000;
const start = at("2026-11-21T16:00:00Z");
const sums = { quota: 0, calls: 0, prompt_tokens: 0, completion_tokens: 0 };
const rest = { ...sums, count: 0 };

const dashboard: Dashboard = {
  time_zone: "Asia/Shanghai",
  start,
  end: start + 48 * hour,
  granularity: "day",
  totals: { quota: 750_000, calls: 3, prompt_tokens: 900, completion_tokens: 100, failures: 1 },
  before: { quota: 500_000, calls: 4, prompt_tokens: 1_000, completion_tokens: 0, failures: 0 },
  rpm: 2,
  tpm: 1_234,
  first_byte: { p50: 320, p99: 2_400, calls: 3 },
  buckets: [start, start + 24 * hour],
  series: [
    { model_name: "gpt-4o", quota: [500_000, 0], calls: [1, 0] },
    { model_name: "=odd,name", quota: [0, 200_000], calls: [0, 1] },
    { model_name: null, quota: [0, 50_000], calls: [0, 1] },
  ],
  models: {
    top: [{ ...sums, id: 0, name: "gpt-4o", quota: 500_000, calls: 1 }],
    rest: { ...sums, quota: 250_000, calls: 2, count: 2 },
  },
  tokens: {
    top: [
      { ...sums, id: 11, name: "laptop", quota: 700_000, calls: 2 },
      { ...sums, id: 0, name: "", quota: 50_000, calls: 1 },
    ],
    rest,
  },
  users: null,
  channels: null,
  dearest: [
    {
      id: 77,
      request_id: "r77",
      created_at: start + 5,
      username: "ann",
      token_name: "laptop",
      model_name: "gpt-4o",
      quota: 500_000,
      prompt_tokens: 800,
      completion_tokens: 90,
    },
  ],
  dearest_of_all: true,
  refresh_minutes: 5,
};

const whole: Dashboard = {
  ...dashboard,
  users: { top: [{ ...sums, id: 7, name: "ann", quota: 750_000, calls: 3 }], rest },
  channels: { top: [{ ...sums, id: 3, name: "main", quota: 750_000, calls: 3 }], rest },
};

const line: Line = {
  group: "default",
  description: "",
  state: "degraded",
  hours: [{ at: start, state: "down", calls: 1, failures: 9 }],
  channels: [
    { id: 4, name: "spare", automatically: true, reason: "401 Unauthorized", since: start },
  ],
  enabled: 1,
};

async function open(address: string, userRole: 1 | 10, answer: Dashboard = dashboard) {
  const opened = await openWith({ data: answer }, address, userRole);
  await screen.findAllByText("$1.50");
  return opened;
}

async function openWith(answer: Answer, address: string, userRole: 1 | 10) {
  const server = serve({
    "GET /api/dashboard/self": answer,
    "GET /api/dashboard/": answer,
    "GET /api/dashboard/lines": { data: [userRole === 1 ? { ...line, channels: [] } : line] },
  });
  stop = server.stop;
  act(() => {
    keepSession({
      id: 7,
      username: "ann",
      display_name: "",
      status: 1,
      group: "default",
      role: userRole,
    });
    const status = statusWith({
      data_export_default_time: "day",
      display_in_currency: true,
      quota_per_unit: 500_000,
      server_address: "https://gate.example",
    });
    statusStore.write({ kind: "ready", status, error: null });
  });
  const queries = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  const rendered = await renderAt(address, () => (
    <QueryClientProvider client={queries}>
      <DashboardScreen />
    </QueryClientProvider>
  ));
  return { ...rendered, asked: () => server.asked };
}

/** The search part of a link, as the router writes it. */
const searchOf = (link: HTMLElement): Readonly<Record<string, string>> => {
  const { searchParams } = new URL(link.getAttribute("href") ?? "", "https://x.example");
  return Object.fromEntries(searchParams);
};

test("O-571 O-572 O-574: the table has every figure of the chart, each leading to its log rows", async () => {
  await open("/detail?view=table", 1);
  const table = screen.getByRole("region", { name: "模型费用分布" });
  const rows = within(table).getAllByRole("row");
  expect(rows.map(({ textContent }) => textContent)).toEqual([
    "时间合计gpt-4o=odd,name其他模型",
    "2026-11-23$0.50–$0.40$0.10",
    "2026-11-22$1.00$1.00––",
    "合计$1.50$1.00$0.40$0.10",
  ]);
  const bar = within(table).getByRole("link", { name: "$0.40" });
  const day = { type: "2", start: String(start + 24 * hour), end: String(start + 48 * hour - 1) };
  expect(searchOf(bar)).toMatchObject({ ...day, model_name: "==odd,name" });
  // All other models together have no filter; the link shows the whole day.
  expect(Object.keys(searchOf(within(table).getByRole("link", { name: "$0.10" })))).not.toContain(
    "model_name",
  );
  const calls = screen.getByRole("region", { name: "模型调用分布" });
  expect(within(calls).getAllByRole("row")[1]?.textContent).toBe("2026-11-232–11");
});

test("O-575 O-576: totals name their change against the span before, and failures lead to the log", async () => {
  await open("/detail?view=table", 1);
  const figures = screen.getByText("请求次数", { selector: "dt" }).closest("dl");
  expect(figures?.textContent).toContain("费用$1.50较上期 +50%");
  expect(figures?.textContent).toContain("请求次数3较上期 −25%");
  expect(figures?.textContent).toContain("Token 数1,000较上期 ±0%");
  expect(figures?.textContent).toContain("失败率25%1 次失败");
  expect(figures?.textContent).toContain("RPM / TPM2 / 1,234");
  expect(figures?.textContent).toContain("320\u00a0ms\u00a0/ 2.4\u00a0s统计了 3 次");
  expect(searchOf(screen.getByRole("link", { name: "1 次失败" }))).toMatchObject({ type: "5" });
});

test("times to the first byte fit in a phone's line: the unit that both share stands once", async () => {
  await open("/detail?view=table", 1, {
    ...dashboard,
    first_byte: { p50: 320, p99: 999, calls: 3 },
  });
  const figures = screen.getByText("请求次数", { selector: "dt" }).closest("dl");
  expect(figures?.textContent).toContain("320\u00a0/ 999\u00a0ms统计了 3 次");
});

test("O-573: admins see the shares of users and channels, others only their own", async () => {
  await open("/detail?view=table", 1);
  expect(screen.queryByText("用户费用分布")).toBeNull();
  stop();
  await open("/detail?view=table&username=ann", 10, whole);
  const users = await screen.findByRole("region", { name: "用户费用分布" });
  expect(within(users).getAllByRole("row")[1]?.textContent).toBe("ann$1.50100%3");
  const channels = screen.getByRole("region", { name: "渠道费用排行" });
  const link = within(channels).getByRole("link", { name: "main" });
  // The filters of the dashboard are those of the log.
  expect(searchOf(link)).toMatchObject({ channel: "3", username: "ann" });
});

test("the cost of a token leads to its calls alone, whatever its name is", async () => {
  const second = { ...sums, id: 12, name: "laptop", quota: 1, calls: 1 };
  const deleted = { ...sums, id: 13, name: "", quota: 1, calls: 1 };
  const top = [...dashboard.tokens.top, second, deleted];
  await open("/detail?view=table&token_id=14", 1, { ...dashboard, tokens: { top, rest } });
  const tokens = screen.getByRole("region", { name: "令牌费用排行" });
  const links = within(tokens).getAllByRole("link");
  expect(links.map((link) => [link.textContent, searchOf(link).token_id])).toEqual([
    ["laptop", "11"],
    ["操练场", "-1"],
    ["laptop", "12"],
    ["已删除 #13", "13"],
  ]);
  // The token that the dashboard is about need not be among those that are named.
  const models = screen.getByRole("region", { name: "模型费用排行" });
  const [model] = within(models).getAllByRole("link");
  expect(model && searchOf(model)).toMatchObject({ token_id: "14" });
});

test("the most expensive call leads to its unfolded log row", async () => {
  await open("/detail?view=table", 1);
  const card = screen.getByText("最贵的调用").closest("div")?.parentElement?.parentElement;
  if (!card) throw new Error("no card");
  const link = within(card).getByRole("link", { name: "$1.00" });
  expect(link.getAttribute("href")).toStartWith("/log?");
  expect(searchOf(link)).toMatchObject({
    model_name: "=gpt-4o",
    start: String(start + 5),
    end: String(start + 5),
    expanded: "77",
  });
});

test("O-574 O-580: the address holds span, granularity and filters, and the call asks for them", async () => {
  const { address, asked } = await open("/detail?view=table", 1);
  const last = () =>
    asked()
      .filter(({ call }) => call.startsWith("GET /api/dashboard/self"))
      .at(-1);
  expect(Object.fromEntries(last()?.query ?? [])).toMatchObject({ span: "3d", granularity: "day" });
  fireEvent.click(screen.getByRole("button", { name: "昨天" }));
  fireEvent.click(screen.getByRole("button", { name: "周" }));
  await waitFor(() => expect(address()).toContain("by=week"));
  expect(address()).toContain("span=yesterday");
  await waitFor(() =>
    expect(Object.fromEntries(last()?.query ?? [])).toMatchObject({
      span: "yesterday",
      granularity: "week",
    }),
  );
});

test("A-168 O-680: a note says how current the figures are, and after how long the page reads them again", async () => {
  await open("/detail?view=table", 1, { ...dashboard, refresh_minutes: 12 });
  expect(screen.getByText(/扣费后立即计入，页面每 12 分钟刷新/)).toBeTruthy();
});

test("while the figures cannot be read, the note says nothing that is not known", async () => {
  await openWith({ success: false, message: "数据库繁忙" }, "/detail", 1);
  expect((await screen.findAllByText(/数据库繁忙/)).length).toBeGreaterThan(0);
  expect(screen.getByText("统计精确到小时，扣费后立即计入。")).toBeTruthy();
  expect(screen.queryByText(/…/)).toBeNull();
});

test("O-577 O-578: lines say their state in words, and the API address can be copied", async () => {
  await open("/detail?view=table", 10, whole);
  expect(await screen.findByText("不稳定")).toBeTruthy();
  const hours = screen.getByRole("list", { name: "分组 default 近 24 小时" });
  expect(hours.textContent).toContain("中断 · 成功 1 次，失败 9 次");
  expect(screen.getByRole("link", { name: "spare" }).getAttribute("href")).toBe("/channel?open=4");
  expect(screen.getByText(/401 Unauthorized/)).toBeTruthy();
  expect(screen.getByText("https://gate.example/v1")).toBeTruthy();
  expect(screen.getByRole("button", { name: "复制 https://gate.example/v1" })).toBeTruthy();
});

test("the CSV file has exact values, and names that look like formulas are quoted", async () => {
  const text = await csvOf(chartOf(dashboard, "quota", "others"), "time").text();
  expect(text.replace("\uFEFF", "").split("\r\n")).toEqual([
    `time,total,gpt-4o,"'=odd,name",others`,
    "2026-11-22,500000,500000,0,0",
    "2026-11-23,250000,0,200000,50000",
    "",
  ]);
});

test("times are those of the zone that cuts the days, changes and shares read well", () => {
  expect(bucketText(start, "Asia/Shanghai", "hour")).toEqual({
    label: "11-22 00:00",
    exact: "2026-11-22 00:00",
  });
  expect(bucketText(at("2026-03-02T05:00:00Z"), "America/New_York", "week")).toEqual({
    label: "03-02",
    exact: "2026-03-02 – 03-08",
  });
  expect([changeOf(1, 0), changeOf(0, 4)]).toEqual([null, -1]);
  expect([0.1234, -0.05, 3, 0].map(showChange)).toEqual(["+12%", "−5%", "+300%", "±0%"]);
  expect([showShare(1, 3), showShare(1, 10_000), showShare(0, 5)]).toEqual([
    "33.3%",
    "<0.1%",
    "0%",
  ]);
});
