import { screen } from "#testing/dom.ts";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { afterEach, expect, setDefaultTimeout, spyOn, test } from "bun:test";
import { statusStore } from "#api/status.ts";
import { sentTo } from "#testing/foreign-frame.ts";
import { renderAt } from "#testing/render.tsx";
import { type Answer, serve } from "#testing/serve.ts";
import { homeContentKey } from "./home.api.ts";
import { HomeScreen } from "./HomeScreen.tsx";

setDefaultTimeout(30_000);

let stop = () => {};
afterEach(() => stop());

async function show() {
  statusStore.write({ kind: "loading" });
  const queries = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  await renderAt("/", () => (
    <QueryClientProvider client={queries}>
      <HomeScreen />
    </QueryClientProvider>
  ));
}

function answer(home: Answer) {
  stop = serve({ "GET /api/home_page_content": home }).stop;
}

test("the home screen is drawn before status and content are read", async () => {
  const fetching = spyOn(globalThis, "fetch").mockImplementation(
    (() => new Promise(() => {})) as unknown as typeof fetch,
  );
  stop = () => fetching.mockRestore();
  await show();
  expect(await screen.findByRole("heading", { name: "Tollgate" })).toBeTruthy();
  expect(await screen.findByText("开始使用")).toBeTruthy();
});

test("A-040 A-199: root's content is shown, and the next time at once", async () => {
  answer({ data: "<h2>自定义</h2>" });
  await show();
  const frame = await screen.findByTitle("首页内容");
  expect(await sentTo(frame)).toContain("自定义");
  expect(screen.queryByText("开始使用")).toBeNull();
  expect(localStorage.getItem(homeContentKey)).toBe("<h2>自定义</h2>");
});

test("A-327 A-444: a failure to load the content is reported above the home screen", async () => {
  answer("no");
  await show();
  expect(await screen.findByText("加载首页内容失败")).toBeTruthy();
  expect(screen.getByText("开始使用")).toBeTruthy();
});
