import { act, fireEvent, screen } from "#testing/dom.ts";
import "#testing/texts.ts";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { expect, test } from "bun:test";
import { renderAt } from "#testing/render.tsx";
import { serve } from "#testing/serve.ts";
import { RedeemCard } from "./RedeemCard.tsx";

const patient = { timeout: 20_000 };

test("O-374: an empty code is refused at its field, and nothing covers that", async () => {
  const server = serve({});
  await renderAt("/topup", () => (
    <QueryClientProvider client={new QueryClient()}>
      <RedeemCard />
    </QueryClientProvider>
  ));
  await act(async () => void fireEvent.click(screen.getByRole("button", { name: "兑换" })));
  await screen.findByText("请输入兑换码！", {}, patient);
  expect(screen.queryAllByText("请检查输入")).toHaveLength(0);
  expect(server.asked.filter(({ call }) => call === "POST /api/user/topup")).toEqual([]);
  server.stop();
});
