import { act, fireEvent, screen, within } from "#testing/dom.ts";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { afterEach, expect, spyOn, test } from "bun:test";
import { noUsage } from "@tollgate/contract/money/charge.ts";
import { type PricingRow, quotaType } from "@tollgate/contract/endpoints/prices.ts";
import { keepSession } from "#api/session.ts";
import { statusStore } from "#api/status.ts";
import { sentTo } from "#testing/foreign-frame.ts";
import { renderAt } from "#testing/render.tsx";
import { type Answer, serve } from "#testing/serve.ts";
import { statusWith } from "#widgets/testing/status.ts";
import { homeContentKey } from "./home.api.ts";
import { HomeScreen } from "./HomeScreen.tsx";

let stop = () => {};
afterEach(() => {
  stop();
  keepSession(null);
  localStorage.removeItem(homeContentKey);
  statusStore.write({ kind: "loading" });
});

async function show() {
  const queries = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  return await renderAt("/", () => (
    <QueryClientProvider client={queries}>
      <HomeScreen />
    </QueryClientProvider>
  ));
}

const pricingRow: PricingRow = {
  model_name: "gpt-5-mini",
  quota_type: quotaType.enum.tokens,
  model_ratio: 0.125,
  model_price: 0,
  completion_ratio: 8,
  owner_by: "",
  enable_groups: ["default"],
};

const pricing: Answer = {
  data: [pricingRow],
  group_ratio: { default: 1 },
  usable_group: { default: "" },
  unpriced: [],
};

const requestId = "20261123050136917sLtHJAsxI5MdZD4d";

const prices = {
  QuotaPerUnit: "500000",
  GroupRatio: { default: "1" },
  ModelRatio: { "demo-chat": "1", "gpt-5-mini": "0.125" },
  CompletionRatio: { "demo-chat": "2", "gpt-5-mini": "8" },
  ModelPrice: {},
  CacheRatio: {},
  CreateCacheRatio: {},
  CreateCacheRatio1h: {},
  ImageRatio: {},
  AudioRatio: {},
  AudioCompletionRatio: {},
};

const demoRow = {
  id: 5,
  created_at: 1_795_410_098,
  model_name: "demo-chat",
  group: "default",
  quota: 86,
  prompt_tokens: 6,
  completion_tokens: 40,
  use_time: 1,
  is_stream: true,
  request_id: requestId,
};

const charge = { usage: { ...noUsage, input: 6, output: 40 }, prices, write_off: 0, rerates: [] };

/** Serves the page's calls. */
function serveCalls(answers: Readonly<Record<string, Answer>>) {
  const server = serve({
    "GET /api/home_page_content": { data: "" },
    "GET /api/pricing": pricing,
    ...answers,
  });
  stop = server.stop;
  return server.asked;
}

/** Answers chat calls with a short stream, and keeps what was sent. */
function openStream() {
  const sent: unknown[] = [];
  const event = `data: {"choices":[{"delta":{"content":"Two words"}}]}\n\n`;
  const answer: Answer = (body) => {
    sent.push(JSON.parse(body));
    return new Response(`${event}data: [DONE]\n\n`, { headers: { "x-request-id": requestId } });
  };
  return { sent, answer };
}

function ready(changes: Parameters<typeof statusWith>[0] = {}) {
  statusStore.write({ kind: "ready", status: statusWith(changes), error: null });
}

test("the home screen is drawn before status and content are read", async () => {
  const fetching = spyOn(globalThis, "fetch").mockImplementation(
    (() => new Promise(() => {})) as unknown as typeof fetch,
  );
  stop = () => fetching.mockRestore();
  await show();
  expect(await screen.findByText("三步完成第一次调用")).toBeTruthy();
  expect(screen.getByRole("heading", { level: 1 }).textContent).toContain("一个地址");
});

test("A-040 A-199: root's content is shown, and the next time at once", async () => {
  serveCalls({ "GET /api/home_page_content": { data: "<h2>自定义</h2>" } });
  await show();
  const frame = await screen.findByTitle("首页内容");
  expect(await sentTo(frame)).toContain("自定义");
  expect(screen.queryByText("三步完成第一次调用")).toBeNull();
  expect(localStorage.getItem(homeContentKey)).toBe("<h2>自定义</h2>");
});

test("A-327 A-444: a failure to load the content is reported above the home screen", async () => {
  serveCalls({ "GET /api/home_page_content": "no" });
  await show();
  expect(await screen.findByText("加载首页内容失败")).toBeTruthy();
  expect(screen.getByText("三步完成第一次调用")).toBeTruthy();
});

test("without a demo a visitor sees a recording, called one, and nothing is sent", async () => {
  ready();
  const asked = serveCalls({});
  await show();
  expect(await screen.findByText("录像")).toBeTruthy();
  expect(screen.getByText(/不会发送任何内容/)).toBeTruthy();
  fireEvent.click(screen.getByRole("button", { name: "播放" }));
  expect(await screen.findByText(/就是这次调用的费用。/)).toBeTruthy();
  expect(await screen.findByText("$0.000126", { selector: "p span" })).toBeTruthy();
  expect(screen.getByText("(15 + 61 × 8) × 0.125 × 1 = 62.875 ≈ 63")).toBeTruthy();
  expect(screen.getByText("与费用一致")).toBeTruthy();
  expect(asked.filter(({ call }) => /demo|POST/.test(call))).toEqual([]);
});

test("a visitor finds the query of a key's usage from the home page", async () => {
  ready();
  serveCalls({});
  await show();
  const link = await screen.findByRole("link", { name: "查询令牌用量" });
  expect(link.getAttribute("href")).toBe("/query");
});

test("a visitor of a demo sends a call and sees its answer, its ticket and its bill", async () => {
  ready({ demo_calls_enabled: true });
  const { sent, answer } = openStream();
  serveCalls({
    "GET /api/demo/calls": { data: [] },
    [`GET /api/demo/calls/${requestId}`]: { data: { ...demoRow, charge } },
    "POST /api/demo/call": answer,
  });
  await show();
  expect(await screen.findByText(/由演示账户付费/)).toBeTruthy();
  fireEvent.change(screen.getByLabelText("问题"), { target: { value: " 你好 " } });
  fireEvent.click(screen.getByRole("button", { name: "发送" }));
  expect(await screen.findByText("Two words")).toBeTruthy();
  expect(sent).toEqual([{ content: "你好" }]);
  const ticket = await screen.findByRole("button", { name: /demo-chat.*\$0\.000172/ });
  expect(ticket.getAttribute("aria-pressed")).toBe("true");
  expect(await screen.findByText("(6 + 40 × 2) × 1 × 1 = 86")).toBeTruthy();
  expect(screen.getByText("与费用一致")).toBeTruthy();
});

test("a refused call says why", async () => {
  for (const [code, message, said] of [
    ["insufficient_user_quota", "user quota is not enough", /演示账户的余额已用完/],
    ["rate_limited", "演示调用过于频繁，请在 7 秒后再试", /请在 7 秒后再试/],
  ] as const) {
    ready({ demo_calls_enabled: true });
    const body = JSON.stringify({ error: { message, code } });
    serveCalls({
      "GET /api/demo/calls": { data: [] },
      "POST /api/demo/call": () => new Response(body, { status: 429 }),
    });
    await show();
    fireEvent.click(await screen.findByRole("button", { name: "发送" }));
    expect(await screen.findByText(said)).toBeTruthy();
    stop();
  }
});

const ada = {
  id: 7,
  username: "ada",
  display_name: "",
  role: 1,
  status: 1,
  group: "default",
} as const;

const ownRow = {
  ...demoRow,
  user_id: 7,
  username: "ada",
  type: 2,
  content: "",
  token_id: 1,
  token_name: "laptop",
  model_name: "gpt-5-mini",
  quota: 41,
  reversed: false,
  refunded: 0,
  rerated: 0,
  other: "",
  channel: 0,
  channel_name: "",
  usage_source: "upstream",
  seen_output: 0,
  conversation_id: 0,
  placement: "",
  moved_quota: 0,
  tool_names: [],
  tags: [],
  ending: "",
  price_version: 1,
  losses: [],
};

const ownCalls = (items: readonly object[]): Answer => ({
  data: { items, page: 1, page_size: 8, total: items.length },
});

test("who signs up at a demo keeps its model and its live strip, and pays from an own balance", async () => {
  ready({ demo_calls_enabled: true });
  keepSession(ada);
  serveCalls({
    "GET /api/pricing": { ...(pricing as object), data: [] },
    "GET /api/log/self/": ownCalls([]),
    "GET /api/token/": { data: [], total: 0 },
    "GET /api/demo/calls": { data: [demoRow] },
  });
  await show();
  expect(await screen.findByRole("button", { name: /demo-chat/ })).toBeTruthy();
  expect(screen.queryByText(/由演示账户付费/)).toBeNull();
  // Without the demo's model there would be none to send to, as no price is served.
  expect(screen.queryByText(/还没有可调用的模型/)).toBeNull();
  const send = screen.getByRole<HTMLButtonElement>("button", { name: "发送" });
  expect(send.disabled).toBe(false);
});

test("a signed-in user sees own calls, what a call costs at most, and the steps that are done", async () => {
  ready();
  keepSession(ada);
  const { sent, answer } = openStream();
  serveCalls({
    "GET /api/log/self/": ownCalls([ownRow]),
    "GET /api/log/charge/5": { data: charge },
    "GET /api/token/": { data: [], total: 0 },
    "POST /pg/chat/completions": answer,
  });
  await show();
  expect(await screen.findByRole("heading", { name: "最近的调用" })).toBeTruthy();
  expect(await screen.findByText("$0.000082")).toBeTruthy();
  // 200 tokens of input at $0.25 a million and 200 of output at $2.
  expect(await screen.findByText("费用从余额中扣除，最多 $0.000450。")).toBeTruthy();
  const steps = within(screen.getByRole("region", { name: "三步完成第一次调用" }));
  expect((await steps.findAllByLabelText("已完成")).length).toBe(2);

  fireEvent.click(screen.getByRole("button", { name: "发送" }));
  expect(await screen.findByText("Two words")).toBeTruthy();
  expect(sent).toMatchObject([{ model: "gpt-5-mini", stream: true, max_tokens: 200 }]);
});

test("without a model that can be called, nothing can be sent", async () => {
  ready();
  keepSession(ada);
  serveCalls({
    "GET /api/pricing": { ...(pricing as object), data: [] },
    "GET /api/log/self/": ownCalls([]),
    "GET /api/token/": { data: [], total: 0 },
  });
  await show();
  expect(await screen.findByText(/还没有可调用的模型/)).toBeTruthy();
  const button: HTMLButtonElement = screen.getByRole("button", { name: "发送" });
  expect(button.disabled).toBe(true);
  expect(await screen.findByText(/还没有调用/)).toBeTruthy();
});

test("recorded calls pass one after another until the lane is paused", async () => {
  ready();
  serveCalls({});
  const passing: (() => void)[] = [];
  const started = spyOn(globalThis, "setInterval").mockImplementation(((
    callback: () => void,
    ms: number,
  ) => (ms === 4_000 ? passing.push(callback) : 0)) as unknown as typeof setInterval);
  const stopped = spyOn(globalThis, "clearInterval");
  try {
    await show();
    const lane = within(await screen.findByRole("list", { name: "正在通过的调用" }));
    const first = () => lane.getAllByRole("button")[0]?.textContent;
    const before = first();
    expect(before).toContain("kimi-k2");
    await act(async () => passing.at(-1)?.());
    expect(first()).toContain("claude-sonnet-4-5");
    await act(async () => screen.getByRole("button", { name: "暂停" }).click());
    expect(stopped).toHaveBeenCalledWith(passing.length);
    expect(screen.getByRole("button", { name: "继续" })).toBeTruthy();
  } finally {
    started.mockRestore();
    stopped.mockRestore();
  }
});

test("before the setup the main button leads to the setup, and no other one to the sign-in", async () => {
  serveCalls({});
  const signIns = () => screen.queryAllByRole("link", { name: "登录" }).length;
  ready({ setup: true });
  await show();
  const usual = (await screen.findAllByRole("link", { name: "登录" })).length;
  act(() => ready({ setup: false }));
  const link = await screen.findByRole("link", { name: "我有链接，粘贴到这里" });
  expect(link.getAttribute("href")).toBe("/setup");
  expect(signIns()).toBe(usual - 1);
});
