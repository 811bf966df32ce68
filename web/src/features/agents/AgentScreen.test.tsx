import { screen } from "#testing/dom.ts";
import "#testing/texts.ts";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { expect, test } from "bun:test";
import { renderAt } from "#testing/render.tsx";
import { serve } from "#testing/serve.ts";
import { AgentScreen } from "./AgentScreen.tsx";

const patient = { timeout: 20_000 };

/** Nobody has set anything: the programme is off, and its share is zero. */
const untouched = {
  state: "none",
  enabled: false,
  rate_bp: 0,
  approval: true,
  invitees: 0,
  balance: 0,
  requested: 0,
  earned: 0,
  paid_out: 0,
  paid_money: 0,
  withdraw_min: 5_000_000,
  price: "7.3",
  quota_per_unit: "500000",
};

test("while the reseller programme is off, its page promises nobody a share of 0 %", async () => {
  const server = serve({ "GET /api/user/agent": { data: untouched } });
  await renderAt("/agent", () => (
    <QueryClientProvider client={new QueryClient()}>
      <AgentScreen />
    </QueryClientProvider>
  ));
  await screen.findByText("管理员未开启代理计划", {}, patient);
  expect(screen.queryAllByText(/0%/)).toHaveLength(0);
  server.stop();
});
