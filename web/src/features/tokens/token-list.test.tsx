import "#testing/texts.ts";
import { fireEvent, screen, setWindowWidth } from "#testing/dom.ts";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { afterEach, expect, test } from "bun:test";
import { press } from "#testing/act.ts";
import { renderAt } from "#testing/render.tsx";
import { serve } from "#testing/serve.ts";
import { NewTokensScreen } from "./TokensScreen.tsx";

let stop = () => {};
afterEach(() => stop());

async function open() {
  const server = serve({ "GET /api/token/newSearch": { data: [], total: 0 } });
  ({ stop } = server);
  await renderAt("/newToken", () => (
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

test("O-303: copying without a selection says that it needs one, and reads no key", async () => {
  const { asked } = await open();
  await press(await screen.findByRole("button", { name: "批量操作" }));
  fireEvent.click(screen.getByRole("button", { name: "复制密钥" }));
  expect((await screen.findAllByText("请至少选择一个令牌！")).length).toBeGreaterThan(0);
  expect(asked.map(({ call }) => call)).not.toContain("POST /api/token/batch/keys");
});
