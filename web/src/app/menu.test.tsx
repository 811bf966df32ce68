import { act, fireEvent, screen, waitFor, within } from "#test/dom.ts";
import { afterEach, expect, setDefaultTimeout, test } from "bun:test";
import { keepSession } from "#api/session.ts";
import { statusStore } from "#api/status.ts";
import { renderAt } from "#test/render.tsx";
import { statusWith } from "#widgets/test-status.ts";
import {
  changeMenuSections,
  menuSectionsKey,
  moved,
  readMenuSections,
  withOpen,
} from "./menu-sections.ts";
import { PhoneDrawer } from "./PhoneDrawer.tsx";
import { SideMenu } from "./SideMenu.tsx";

setDefaultTimeout(30_000);

afterEach(() => {
  keepSession(null);
  act(() => changeMenuSections(() => readMenuSections(null)));
});

function signIn(role: 1 | 100) {
  keepSession({ id: 7, username: "ann", display_name: "", role, status: 1, group: "default" });
  const status = statusWith({ version: "1.2.3", demo_site_enabled: true });
  statusStore.write({ kind: "ready", status, error: null });
}

const names = () =>
  within(screen.getByRole("navigation"))
    .getAllByRole("link")
    .map((link) => link.textContent);
const press = (name: string | RegExp) => fireEvent.click(screen.getByRole("button", { name }));

test("what was stored is read as far as it still means something", () => {
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

test("sections fold, keep the present screen in sight, and stay folded", async () => {
  signIn(100);
  await renderAt("/token", () => <SideMenu folded={false} onFold={() => {}} />);
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

test("sections change places, and stay there", async () => {
  signIn(100);
  await renderAt("/token", () => <SideMenu folded={false} onFold={() => {}} />);
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

test("A-306 A-360: the configured chat clients have a section of their own, none without", async () => {
  signIn(1);
  const chats = [{ NextChat: "https://next.example/?k={key}" }, { OpenCat: "opencat://k={key}" }];
  statusStore.write({ kind: "ready", status: statusWith({ chats }), error: null });
  await renderAt("/chat/1", () => <SideMenu folded={false} onFold={null} />);
  const links = ["NextChat", "OpenCat"].map((name) => screen.getByRole("link", { name }));
  expect(links.map((link) => link.getAttribute("href"))).toEqual(["/chat/0", "/chat/1"]);
  expect(screen.getByRole("link", { current: "page" }).textContent).toBe("OpenCat");
  expect(screen.getByRole("button", { name: "聊天" })).toBeTruthy();

  act(() => statusStore.write({ kind: "ready", status: statusWith({}), error: null }));
  expect(screen.queryByRole("button", { name: "聊天" })).toBeNull();
});

test("folded it has every entry by its name, whatever is folded in it", async () => {
  signIn(1);
  changeMenuSections((before) => withOpen(before, "main", false));
  await renderAt("/log", () => <SideMenu folded onFold={() => {}} />);
  expect(screen.getByRole("link", { name: "令牌" })).toBeTruthy();
  expect(screen.queryByText("版本 1.2.3")).toBeNull();
});

test("it says which version runs here, and that it is a demo", async () => {
  signIn(1);
  await renderAt("/token", () => <SideMenu folded={false} onFold={null} />);
  expect(screen.getByText("版本 1.2.3")).toBeTruthy();
  expect(screen.getByText("演示站点")).toBeTruthy();
  // One section: nothing to move it among.
  expect(screen.queryByRole("button", { name: /调整/ })).toBeNull();
});

test("A-293 A-295 A-300: on phones the drawer has what the top bar has no room for", async () => {
  const status = statusWith({ docs_link: "https://docs.example/" });
  statusStore.write({ kind: "ready", status, error: null });
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
