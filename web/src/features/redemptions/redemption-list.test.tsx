import "#testing/texts.ts";
import { fireEvent, screen } from "#testing/dom.ts";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { type Redemption, redemptionStatus } from "@tollgate/contract/endpoints/redemptions.ts";
import { toastManager } from "#ui/overlays/toast.ts";
import { afterEach, expect, spyOn, test } from "bun:test";
import { patience, press } from "#testing/act.ts";
import { renderAt } from "#testing/render.tsx";
import { serve } from "#testing/serve.ts";
import { RedemptionsScreen } from "./RedemptionsScreen.tsx";

let stop = () => {};
afterEach(() => stop());

const row: Redemption = {
  id: 1,
  user_id: 1,
  name: "spring",
  key: "0123456789abcdef0123456789abcdef",
  quota: 500_000,
  status: redemptionStatus.enum.unused,
  group: "",
  batch_id: "",
  user_limit: 0,
  expired_time: 0,
  created_time: 1,
  redeemed_time: 0,
  used_user_id: 0,
  used_username: "",
  count: 0,
  DeletedAt: null,
};

for (const [id, action] of [
  ["O-350", "复制兑换码"],
  ["O-351", "删除"],
] as const) {
  test(`${id}: without a selection, "${action}" says that it needs one, and sends nothing`, async () => {
    const server = serve({ "GET /api/redemption/search": { data: { items: [row], total: 1 } } });
    ({ stop } = server);
    const told = spyOn(toastManager, "add");
    await renderAt("/redemption", () => (
      <QueryClientProvider client={new QueryClient()}>
        <RedemptionsScreen />
      </QueryClientProvider>
    ));
    await press(await screen.findByRole("button", { name: "批量操作" }, patience));
    const bar = screen.getByRole("region", { name: "批量操作" });
    const button = [...bar.querySelectorAll("button")].find(
      ({ textContent }) => textContent === action,
    );
    if (button === undefined) throw new Error(`no button ${action}`);
    fireEvent.click(button);
    expect(told.mock.calls.map(([{ title }]) => title)).toEqual(["请至少选择一个兑换码！"]);
    expect(screen.queryAllByRole("alertdialog").length).toBe(0);
    expect(server.asked.filter(({ call }) => !call.startsWith("GET "))).toEqual([]);
    told.mockRestore();
  });
}
