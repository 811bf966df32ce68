import "#testing/texts.ts";
import { screen } from "#testing/dom.ts";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { afterEach, expect, test } from "bun:test";
import { renderAt } from "#testing/render.tsx";
import { serve } from "#testing/serve.ts";
import { StandingPanel } from "./StandingPanel.tsx";

let stop = () => {};
afterEach(() => stop());

test("a channel that is disabled while its sheet is open says by whom, and by what error", async () => {
  const status_reason = "上游账户余额不足 (402)";
  for (const [status, other_info, said] of [
    [2, "", "该渠道未使用：已被手动禁用"],
    [3, JSON.stringify({ status_reason, status_time: 5 }), "该渠道未使用：已被自动禁用"],
  ] as const) {
    const data = { state: "off", status, other_info, lines: [] };
    ({ stop } = serve({ "GET /api/channel/7/standing": { data } }));
    await renderAt("/channel?open=7", () => (
      <QueryClientProvider client={new QueryClient()}>
        <StandingPanel id={7} />
      </QueryClientProvider>
    ));
    expect(await screen.findByText(said)).toBeTruthy();
    expect(screen.queryAllByText(/余额不足 \(402\) · 禁用时间/).length).toBe(status === 3 ? 1 : 0);
    stop();
  }
});
