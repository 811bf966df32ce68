import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { afterEach, expect, test } from "bun:test";
import { act, fireEvent, screen } from "#testing/dom.ts";
import { renderAt } from "#testing/render.tsx";
import { SetupScreen } from "./SetupScreen.tsx";
import { serve } from "./testing/server.ts";

let stop = () => {};
afterEach(() => stop());

const noToken = "地址里没有初始化令牌";
const expired = "初始化链接无效或已过期";

test("a set-up link opened in the tab that shows the set-up screen is used, also after one that had expired", async () => {
  const server = serve({
    "GET /api/setup": { data: { status: false, root_init: false, database_type: "sqlite" } },
    "POST /api/setup": { no: expired },
  });
  ({ stop } = server);
  const queries = new QueryClient();
  const { goTo } = await renderAt("/setup", () => (
    <QueryClientProvider client={queries}>
      <SetupScreen />
    </QueryClientProvider>
  ));
  expect(await screen.findByText(noToken)).toBeTruthy();
  await goTo("/setup#token=first");
  expect(screen.queryByText(noToken)).toBeNull();
  await send();
  expect(await screen.findByText(new RegExp(expired))).toBeTruthy();
  await goTo("/setup#token=second");
  expect(screen.queryByText(new RegExp(expired))).toBeNull();
  await send();
  expect(server.sent.filter(({ call }) => call === "POST /api/setup")).toMatchObject([
    { body: { token: "first" } },
    { body: { token: "second" } },
  ]);
});

async function send(): Promise<void> {
  for (const label of [/^密码/, /^确认密码/]) {
    const field = screen.getByLabelText(label, { selector: "input" });
    fireEvent.change(field, { target: { value: "seven brown otters" } });
  }
  const button = screen.getByRole("button", { name: "创建账户并开始使用" });
  await act(async () => fireEvent.click(button));
}
