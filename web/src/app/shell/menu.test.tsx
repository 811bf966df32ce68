import { act, fireEvent, screen, waitFor, within } from "#testing/dom.ts";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { afterEach, expect, test } from "bun:test";
import type { Status } from "@tollgate/contract/endpoints/status.ts";
import { keepSession, readSession } from "#api/session.ts";
import { statusStore } from "#api/status.ts";
import { renderAt } from "#testing/render.tsx";
import { serve } from "#testing/serve.ts";
import { userRow } from "#widgets/testing/user.ts";
import { statusWith } from "#widgets/testing/status.ts";
import {
  changeMenuSections,
  menuSectionsKey,
  moved,
  readMenuSections,
  withOpen,
} from "./menu-sections.ts";
import { gated } from "#app/routing/Gate.tsx";
import { screens } from "#app/screens.ts";
import { PhoneDrawer } from "./PhoneDrawer.tsx";
import { SideMenu } from "./SideMenu.tsx";
import { TopBar } from "./TopBar.tsx";

let stop = () => {};
afterEach(() => {
  stop();
  keepSession(null);
  act(() => changeMenuSections(() => readMenuSections(null)));
});

function signIn(role: 1 | 10 | 100) {
  const group = "default";
  act(() => keepSession({ id: 7, username: "ann", display_name: "", role, status: 1, group }));
  installationHas({ version: "1.2.3", demo_site_enabled: true });
}

function installationHas(fields: Partial<Status>) {
  act(() => statusStore.write({ kind: "ready", status: statusWith(fields), error: null }));
}

/** Shows the top bar with a fake server that has no notice. */
async function showTopBar() {
  const server = serve({ "GET /api/notice": { data: "" }, "POST /api/user/logout": {} });
  stop = server.stop;
  return { ...server, ...(await renderAt("/pricing", () => <TopBar onMenu={() => {}} />)) };
}

/** Shows the side menu of a signed-in user in a wide window. */
async function showMenu(at = "/token", folded = false, onFold: (() => void) | null = () => {}) {
  const server = serve({
    "GET /api/user/self": { data: userRow({ quota: 6_170_000 }) },
    "GET /api/log/self/stat": { data: { quota: 81, rpm: 0, tpm: 0 } },
  });
  stop = server.stop;
  const client = new QueryClient();
  const shown = await renderAt(at, () => (
    <QueryClientProvider client={client}>
      <SideMenu folded={folded} onFold={onFold} />
    </QueryClientProvider>
  ));
  return { ...server, address: shown.address };
}

const names = () =>
  within(screen.getByRole("navigation"))
    .getAllByRole("link")
    .map((link) => link.textContent);
const press = (name: string | RegExp) => fireEvent.click(screen.getByRole("button", { name }));

test("stored sections are read, and sections that no longer exist are dropped", () => {
  expect(readMenuSections(null)).toEqual({ order: ["main", "chats", "manage"], closed: [] });
  expect(readMenuSections('{"order":["manage","gone"],"closed":["main",3]}')).toEqual({
    order: ["manage", "main", "chats"],
    closed: ["main"],
  });
  for (const broken of ["{", "[]", "3", '{"order":"x","closed":null}']) {
    expect(readMenuSections(broken)).toEqual({ order: ["main", "chats", "manage"], closed: [] });
  }
});

test("a section moves among those that are shown, and no further than the end", () => {
  const first = readMenuSections(null);
  expect(moved(first, "main", 1, ["main", "manage"]).order).toEqual(["manage", "chats", "main"]);
  expect(moved(first, "manage", 1, ["main", "manage"])).toEqual(first);
  expect(moved(first, "main", 1, ["main"])).toEqual(first);
  expect(withOpen(withOpen(first, "main", false), "main", true)).toEqual(first);
});

test("sections fold, keep the present screen's entry visible, and stay folded", async () => {
  signIn(100);
  await showMenu();
  expect(names()).toContain("令牌");
  expect(names()).toContain("设置");
  press("控制台");
  expect(names()).toContain("令牌");
  expect(names()).not.toContain("设置");
  press("管理");
  expect(names()).toEqual(["令牌"]);
  expect(readMenuSections(localStorage.getItem(menuSectionsKey)).closed).toEqual([
    "main",
    "manage",
  ]);
});

for (const path of ["/prices", "/prices/rerates", "/prices/sources"]) {
  test(`${path} marks its entry of the menu, or that of the screen above it`, async () => {
    signIn(100);
    await showMenu(path);
    expect(screen.getByRole("link", { current: "page" }).textContent).toBe("模型与价格");
  });
}

test("sections can be swapped, and stay so", async () => {
  signIn(100);
  await showMenu();
  expect(names()[0]).toBe("操练场");
  press("调整“管理”的位置");
  fireEvent.click(await screen.findByRole("menuitem", { name: "上移" }));
  await waitFor(() => expect(names()[0]).toBe("渠道"));
  expect(readMenuSections(localStorage.getItem(menuSectionsKey)).order).toEqual([
    "manage",
    "chats",
    "main",
  ]);
});

test("A-306 A-360: chat clients have a section of their own, which is absent without any", async () => {
  signIn(1);
  installationHas({
    chats: [{ NextChat: "https://next.example/?k={key}" }, { OpenCat: "opencat://k={key}" }],
  });
  await showMenu("/chat/1", false, null);
  const links = ["NextChat", "OpenCat"].map((name) => screen.getByRole("link", { name }));
  expect(links.map((link) => link.getAttribute("href"))).toEqual(["/chat/0", "/chat/1"]);
  expect(screen.getByRole("link", { current: "page" }).textContent).toBe("OpenCat");
  expect(screen.getByRole("button", { name: "聊天" })).toBeTruthy();

  installationHas({});
  expect(screen.queryByRole("button", { name: "聊天" })).toBeNull();
});

test("the narrow menu shows every entry by its icon, also those of folded sections", async () => {
  signIn(1);
  changeMenuSections((before) => withOpen(before, "main", false));
  await showMenu("/log", true);
  expect(screen.getByRole("link", { name: "令牌" })).toBeTruthy();
  expect(screen.queryByText("版本 1.2.3")).toBeNull();
});

test("balance and today's spend stand in the menu, and nothing of them in self-use mode", async () => {
  signIn(1);
  installationHas({ quota_per_unit: 500_000, display_in_currency: true });
  const { asked } = await showMenu();
  const link = await screen.findByRole("link", { name: /^\$12\.34/ });
  await waitFor(() => expect(link.textContent).toContain("今日 $0.000162"));
  const since = asked.find(({ call }) => call === "GET /api/log/self/stat")?.query;
  expect(Number(since?.get("start_timestamp"))).toBe(new Date().setHours(0, 0, 0, 0) / 1_000);

  act(() => installationHas({ self_use_mode_enabled: true }));
  expect(screen.queryByRole("link", { name: /\$12\.34/ })).toBeNull();
});

test("self-use mode leaves nothing of payment in root's menu", async () => {
  signIn(100);
  const paid = ["/topup", "/order", "/redemption", "/agent", "/agents", "/withdrawals"];
  await showMenu();
  const shown = () => {
    const links = within(screen.getByRole("navigation")).getAllByRole("link");
    return links.map((link) => link.getAttribute("href") ?? "").filter((to) => paid.includes(to));
  };
  installationHas({ agents_enabled: true });
  expect(shown().toSorted()).toEqual(paid.toSorted());
  installationHas({ agents_enabled: true, self_use_mode_enabled: true });
  expect(shown()).toEqual([]);
});

test("it shows the version, and that this is a demo", async () => {
  signIn(1);
  await showMenu("/token", false, null);
  expect(screen.getByText("版本 1.2.3")).toBeTruthy();
  expect(screen.getByText("演示站点")).toBeTruthy();
  // This user sees only one section of the menu, so there is no button to move it.
  expect(screen.queryByRole("button", { name: /调整/ })).toBeNull();
});

test("A-293 A-295 A-300: the phone's drawer has the links that the top bar has no room for", async () => {
  installationHas({ docs_link: "https://docs.example/" });
  await renderAt("/pricing", () => <PhoneDrawer open onClose={() => {}} />);
  const links = within(screen.getByRole("dialog")).getAllByRole("link");
  expect(links.map((link) => link.getAttribute("href"))).toEqual([
    "/",
    "/token",
    "/pricing",
    "https://docs.example/",
    "/about",
    "/register",
  ]);
  expect(screen.getByRole("link", { current: "page" }).textContent).toBe("价格");
  for (const name of ["主题", "语言"]) expect(screen.getByRole("button", { name })).toBeTruthy();
});

test("A-294: the console link opens its first page from any other", async () => {
  signIn(1);
  const { address } = await showTopBar();
  fireEvent.click(screen.getByRole("link", { name: "控制台" }));
  await waitFor(() => expect(address()).toBe("/token"));
});

test("A-296: the tutorial link is the operator's and opens a new window; without one there is no link", async () => {
  installationHas({});
  await showTopBar();
  expect(screen.queryByRole("link", { name: "教程" })).toBeNull();
  installationHas({ docs_link: "https://docs.example/start" });
  const link = screen.getByRole("link", { name: "教程" });
  expect(link.getAttribute("href")).toBe("https://docs.example/start");
  expect([link.getAttribute("target"), link.getAttribute("rel")]).toEqual([
    "_blank",
    "noopener noreferrer",
  ]);
});

test("self-use mode hides the price list from bar and drawer, and its address says so", async () => {
  installationHas({ self_use_mode_enabled: true });
  const { unmount } = await showTopBar();
  expect(screen.queryByRole("link", { name: "价格" })).toBeNull();
  unmount();
  const pricing = screens.find(({ path }) => path === "/pricing");
  if (pricing === undefined) throw new Error("there is no price list");
  const Gated = gated(pricing, () => <p>prices</p>);
  await renderAt("/pricing", () => <Gated />);
  expect(screen.queryByText("prices")).toBeNull();
  expect(await screen.findByText(/启用了自用模式/)).toBeTruthy();
  installationHas({});
  expect(screen.getByText("prices")).toBeTruthy();
});

test("A-301: the top bar shows who is signed in, with the menu to sign out", async () => {
  installationHas({});
  await showTopBar();
  expect(screen.queryByRole("button", { name: /^账户/ })).toBeNull();

  signIn(1);
  const { address, asked } = await showTopBar();
  const signInLinks = () => ["登录", "注册"].map((name) => screen.queryByRole("link", { name }));
  expect(signInLinks()).toEqual([null, null]);
  const avatar = screen.getByRole("button", { name: "账户：ann" });
  expect(avatar.textContent).toBe("ann");
  fireEvent.click(avatar);
  fireEvent.click(await screen.findByRole("menuitem", { name: "退出登录" }));
  await waitFor(() => expect(address()).toBe("/login"));
  expect(asked.map(({ call }) => call)).toContain("POST /api/user/logout");
  expect(readSession()).toBeNull();
});

test("before the set-up the top bar offers no account", async () => {
  const links = () => ["登录", "注册"].map((name) => screen.queryByRole("link", { name }) !== null);
  installationHas({});
  await showTopBar();
  expect(links()).toEqual([true, true]);
  installationHas({ setup: false });
  expect(links()).toEqual([false, false]);
});

for (const { row, name, to, roles } of [
  { row: "A-312", name: "用户管理", to: "/user", roles: [10, 100] },
  { row: "A-313", name: "用户费用", to: "/newUser", roles: [100] },
  { row: "A-315", name: "全站日志", to: "/newLog", roles: [100] },
  { row: "O-047", name: "全站渠道", to: "/newChannel", roles: [100] },
  { row: "O-048", name: "渠道统计", to: "/channelStatistics", roles: [100] },
  { row: "A-318", name: "设置", to: "/setting", roles: [1, 10, 100] },
] as const) {
  test(`${row}: ${name} is offered to its roles and to nobody else`, async () => {
    const offered = [];
    for (const role of [1, 10, 100] as const) {
      signIn(role);
      const { address } = await showMenu("/token", false, null);
      const entry = screen.queryByRole("link", { name });
      if (entry === null) continue;
      offered.push(role);
      fireEvent.click(entry);
      await waitFor(() => expect(address()).toBe(to));
    }
    expect(offered).toEqual([...roles]);
  });
}

test("A-309: the dashboard is in everybody's menu, but only while it is turned on", async () => {
  signIn(1);
  installationHas({ enable_data_export: true });
  const { address } = await showMenu("/token", false, null);
  fireEvent.click(screen.getByRole("link", { name: "数据看板" }));
  await waitFor(() => expect(address()).toBe("/detail"));
  installationHas({ enable_data_export: false });
  expect(screen.queryByRole("link", { name: "数据看板" })).toBeNull();
});

const switchedOn = {
  enable_data_export: true,
  enable_drawing: true,
  enable_task: true,
  agents_enabled: true,
};

for (const path of [
  "/agent",
  "/agents",
  "/detail",
  "/midjourney",
  "/order",
  "/redemption",
  "/task",
  "/topup",
  "/withdrawals",
]) {
  test(`${path} refuses its address when it is switched off, as its menu entry goes`, async () => {
    signIn(100);
    installationHas({ self_use_mode_enabled: true });
    const found = screens.find((each) => each.path === path) ?? expect.unreachable(path);
    const Gated = gated(found, () => <p>the page</p>);
    await renderAt(path, () => <Gated />);
    expect(screen.queryByText("the page")).toBeNull();
    await screen.findByRole("heading", { name: "此站点没有开放该页面" });
    installationHas(switchedOn);
    expect(screen.getByText("the page")).toBeTruthy();
  });
}

test("a page that is switched off does not blame self-use mode", async () => {
  signIn(1);
  installationHas({});
  const tasks = screens.find(({ path }) => path === "/task") ?? expect.unreachable("/task");
  const Gated = gated(tasks, () => <p>the page</p>);
  await renderAt("/task", () => <Gated />);
  await screen.findByText("管理员已关闭该页面对应的功能。");
});
