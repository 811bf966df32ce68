import { act, fireEvent, screen, waitFor } from "#testing/dom.ts";
import "#testing/texts.ts";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { afterEach, beforeEach, expect, test } from "bun:test";
import { keepSession } from "#api/session.ts";
import { renderAt } from "#testing/render.tsx";
import { type Answer, serve } from "#testing/serve.ts";
import { TopUpCard } from "./TopUpCard.tsx";

const patient = { timeout: 20_000 };

let server: ReturnType<typeof serve>;
let answers: Record<string, Answer>;

beforeEach(() => {
  keepSession({ id: 7, username: "u", display_name: "", role: 1, status: 1, group: "default" });
  answers = {
    "GET /api/user/self": { data: { id: 7 } },
    "GET /api/user/topup/info": {
      data: {
        methods: [{ id: "zfb", processor: "epay", currency: "cny" }],
        min_amount: 2,
        max_amount: 50,
        presets: [],
      },
    },
  };
  server = serve(answers);
});
afterEach(() => {
  server.stop();
  keepSession(null);
});

const open = async () =>
  await renderAt("/topup", () => (
    <QueryClientProvider client={new QueryClient()}>
      <TopUpCard onStarted={() => {}} />
    </QueryClientProvider>
  ));

const isPayable = () => !screen.getByRole<HTMLButtonElement>("button", { name: "去支付" }).disabled;

test("O-386: nobody can pay before the price is shown", async () => {
  // The price is not known until the server has answered, and not if it cannot.
  answers["POST /api/user/amount"] = "充值金额过低";
  await open();
  await screen.findByText("充值金额过低", {}, patient);
  expect(isPayable()).toBe(false);
  answers["POST /api/user/amount"] = { data: "14.60" };
  await act(async () => void fireEvent.click(screen.getByRole("button", { name: "重试" })));
  await screen.findByText("¥14.60", {}, patient);
  await waitFor(() => expect(isPayable()).toBe(true));
});

test("O-376: an amount below the minimum is refused with it, and has no price", async () => {
  answers["POST /api/user/amount"] = { data: "14.60" };
  await open();
  await screen.findByText("¥14.60", {}, patient);
  const field = screen.getByLabelText("充值数量（美元）");
  await act(async () => void fireEvent.change(field, { target: { value: "1" } }));
  await screen.findByText("充值数量不能小于 2", {}, patient);
  expect(isPayable()).toBe(false);
  expect(server.asked.filter(({ call }) => call === "POST /api/user/amount")).toHaveLength(1);
  await act(async () => void fireEvent.change(field, { target: { value: "51" } }));
  await screen.findByText("充值数量不能大于 50", {}, patient);
  expect(isPayable()).toBe(false);
});
