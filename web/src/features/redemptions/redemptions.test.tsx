import { act, fireEvent, screen } from "#testing/dom.ts";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { afterEach, expect, test } from "bun:test";
import type { Redemption } from "@tollgate/contract/endpoints/redemptions.ts";
import type { Language } from "#i18n/t.ts";
import { renderAt } from "#testing/render.tsx";
import { serve } from "#testing/serve.ts";
import { RedemptionsScreen } from "./RedemptionsScreen.tsx";

const patient = { timeout: 20_000 };

/** A code that the list shows as unused, while somebody has redeemed it already. */
const code: Redemption = {
  id: 7,
  user_id: 1,
  name: "spring",
  key: "k".repeat(32),
  quota: 500_000,
  status: 1,
  group: "",
  batch_id: "b",
  user_limit: 0,
  expired_time: 0,
  created_time: 1_795_386_700,
  redeemed_time: 0,
  used_user_id: 0,
  used_username: "",
  count: 0,
  DeletedAt: null,
};

let served: ReturnType<typeof serve> | undefined;
afterEach(() => served?.stop());

async function open(at: string, language: Language): Promise<void> {
  const list = { data: { items: [code], page: 1, page_size: 20, total: 1 } };
  served = serve({
    "GET /api/redemption/": list,
    "GET /api/redemption/search": list,
    "GET /api/group/": { data: ["default"] },
    "POST /api/redemption/batch/status": {
      data: [{ id: 7, success: false, message: "已使用的兑换码不能更改状态" }],
    },
    "POST /api/redemption/": { data: ["a".repeat(32)] },
  });
  await renderAt(
    at,
    () => (
      <QueryClientProvider client={new QueryClient()}>
        <RedemptionsScreen />
      </QueryClientProvider>
    ),
    { language },
  );
}

const press = async (element: HTMLElement) => act(async () => void fireEvent.click(element));

test("a code that was redeemed meanwhile says in the reader's language why it stays as it is", async () => {
  await open("/redemption", "en");
  await press(await screen.findByRole("button", { name: "More actions for spring" }, patient));
  await press(await screen.findByRole("menuitem", { name: "Disable" }, patient));
  await screen.findAllByText("A used code cannot change its status", {}, patient);
});

test("selected codes that cannot change say why in the reader's language", async () => {
  await open("/redemption", "en");
  await screen.findAllByText("spring", {}, patient);
  const [, row] = screen.getAllByRole("checkbox");
  if (row === undefined) throw new Error("no row can be selected");
  await press(row);
  await press(await screen.findByRole("button", { name: "Disable" }, patient));
  await screen.findByText("spring: A used code cannot change its status", {}, patient);
});

test("O-353: 101 codes at once are refused at their field, and no other number is created", async () => {
  await open("/redemption?open=new", "en");
  const field = await screen.findByRole("textbox", { name: "Quantity" }, patient);
  await act(async () => {
    fireEvent.focus(field);
    fireEvent.change(field, { target: { value: "101" } });
    fireEvent.blur(field);
  });
  await press(screen.getByRole("button", { name: "Create" }));
  await screen.findByText("Enter a whole number from 1 to 100", {}, patient);
  expect(served?.asked.filter(({ call }) => call === "POST /api/redemption/")).toEqual([]);
});
