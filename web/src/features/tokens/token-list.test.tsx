import "#testing/texts.ts";
import { act, cleanup, fireEvent, screen, setWindowWidth, waitFor } from "#testing/dom.ts";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { afterEach, expect, test } from "bun:test";
import { tokenStatus } from "@tollgate/contract/endpoints/tokens.ts";
import { patience, press } from "#testing/act.ts";
import { renderAt } from "#testing/render.tsx";
import { serve } from "#testing/serve.ts";
import { tokenWith } from "#widgets/testing/token.ts";
import { NewTokensScreen } from "./TokensScreen.tsx";

let stop = () => {};
afterEach(() => stop());

const row = tokenWith({ id: 7, name: "as listed", remain_quota: 500_000 });

async function open(address = "/newToken") {
  let name = "as it is now";
  const server = serve({
    "GET /api/token/newSearch": { data: [row], total: 1 },
    "GET /api/token/new/7": () => {
      const data = { ...row, name };
      name = "as it is later";
      return Response.json({ success: true, message: "", data });
    },
  });
  ({ stop } = server);
  await renderAt(address, () => (
    <QueryClientProvider client={new QueryClient()}>
      <NewTokensScreen />
    </QueryClientProvider>
  ));
  return server;
}

test("O-295 to O-297: what tokens cannot do is said on a phone, too", async () => {
  for (const width of [1440, 360]) {
    setWindowWidth(width);
    await open();
    expect(screen.getAllByText(/令牌无法精确控制使用额度/).length).toBe(1);
    stop();
  }
});

test("O-295: the warning says how budgets hold, folds away once read, and unfolds again", async () => {
  await open();
  const warning = /令牌无法精确控制使用额度/;
  expect(screen.getAllByText(/额度和预算不会被超出/).length).toBe(1);
  await act(async () => fireEvent.click(screen.getByRole("button", { name: "知道了" })));
  expect(screen.queryByText(warning)).toBeNull();
  stop();
  cleanup();
  await open();
  expect(screen.queryByText(warning)).toBeNull();
  await act(async () =>
    fireEvent.click(screen.getByRole("button", { name: "关于令牌额度与分享" })),
  );
  expect(screen.getAllByText(warning).length).toBe(1);
  localStorage.removeItem("read:sharing-warning");
});

test("a key that the gateway has switched off says why", async () => {
  const { exhausted } = tokenStatus.enum;
  ({ stop } = serve({
    "GET /api/token/newSearch": { data: [{ ...row, status: exhausted }], total: 1 },
  }));
  await renderAt("/newToken", () => (
    <QueryClientProvider client={new QueryClient()}>
      <NewTokensScreen />
    </QueryClientProvider>
  ));
  const shown = await screen.findByText("已禁用", {}, patience);
  expect(shown.closest("[data-tip]")?.getAttribute("data-tip")).toMatch(/余额曾不足以支付一次调用/);
});

test("O-306: the rows of keys that are not enabled are shaded", async () => {
  const { disabled, enabled, exhausted, expired } = tokenStatus.enum;
  const data = [enabled, disabled, expired, exhausted].map((status) => ({
    ...row,
    id: 10 + status,
    name: `status ${status}`,
    status,
  }));
  ({ stop } = serve({ "GET /api/token/newSearch": { data, total: 4 } }));
  for (const width of [1440, 360]) {
    setWindowWidth(width);
    await renderAt("/newToken", () => (
      <QueryClientProvider client={new QueryClient()}>
        <NewTokensScreen />
      </QueryClientProvider>
    ));
    await screen.findByText("status 4", {}, patience);
    expect(shadedOf(data.map(({ name }) => name))).toEqual(["status 2", "status 3", "status 4"]);
    cleanup();
  }
  setWindowWidth(1440);
});

/** Which of the rows with these names are shaded. */
function shadedOf(names: readonly string[]): readonly string[] {
  return names.filter((name) => screen.getByText(name).closest("[data-muted]") !== null);
}

test("O-265: the editor reads its token anew each time, as root from among all users' tokens", async () => {
  const { asked } = await open("/newToken?open=7");
  expect(await screen.findByDisplayValue("as it is now", {}, patience)).toBeTruthy();
  await press(screen.getByRole("button", { name: "取消" }));
  await press(await screen.findByRole("button", { name: "as listed" }, patience));
  expect(await screen.findByDisplayValue("as it is later", {}, patience)).toBeTruthy();
  const reads = asked.filter(({ call }) => call === "GET /api/token/new/7");
  expect(reads.length).toBe(2);
});

// The server takes what was spent since then from the new quota, by the difference to this figure.
test("saving an edited key says how much it had used when the form was filled", async () => {
  let sent = "";
  const spent = { ...row, remain_quota: 300, used_quota: 200 };
  ({ stop } = serve({
    "GET /api/token/newSearch": { data: [spent], total: 1 },
    "GET /api/token/new/7": { data: spent },
    "PUT /api/token/new/": (body) => {
      sent = body;
      return Response.json({ success: true, message: "", data: spent });
    },
  }));
  await renderAt("/newToken?open=7", () => (
    <QueryClientProvider client={new QueryClient()}>
      <NewTokensScreen />
    </QueryClientProvider>
  ));
  fireEvent.change(await screen.findByDisplayValue("as listed", {}, patience), {
    target: { value: "renamed" },
  });
  await press(screen.getByRole("button", { name: /保存/ }));
  await waitFor(() => expect(sent).not.toBe(""), patience);
  expect(JSON.parse(sent)).toMatchObject({ id: 7, name: "renamed", used_quota: 200 });
});

test("after a refused batch the list shows what was done all the same", async () => {
  const { asked } = await open();
  const reads = (): number =>
    asked.filter(({ call }) => call === "GET /api/token/newSearch").length;
  await press(await screen.findByRole("button", { name: "批量操作" }));
  await press(screen.getByRole("checkbox", { name: /as listed/ }));
  const before = reads();
  fireEvent.click(screen.getByRole("button", { name: /禁用/ }));
  await waitFor(() => expect(reads()).toBeGreaterThan(before), patience);
  expect(asked.map(({ call }) => call)).toContain("POST /api/token/new/batch/status");
});

test("O-303: copying without a selection says that it needs one, and reads no key", async () => {
  const { asked } = await open();
  await press(await screen.findByRole("button", { name: "批量操作" }));
  fireEvent.click(screen.getByRole("button", { name: "复制密钥" }));
  expect((await screen.findAllByText("请至少选择一个令牌！")).length).toBeGreaterThan(0);
  expect(asked.map(({ call }) => call)).not.toContain("POST /api/token/batch/keys");
});
