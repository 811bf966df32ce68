import { waitFor } from "#testing/dom.ts";
import "#testing/texts.ts";
import { QueryClient, QueryClientProvider, useQuery } from "@tanstack/react-query";
import { expect, test } from "bun:test";
import { renderAt } from "#testing/render.tsx";
import { serve } from "#testing/serve.ts";
import { useOwnEntries } from "./wallet.api.ts";

const statement = {
  page: 1,
  page_size: 20,
  items: [],
  total: 0,
  balance: 0,
  calls: 0,
  totals: [],
  days: [],
};

let balances = 0;

/** The balance at the foot of the menu, beside a statement. */
function Both() {
  useQuery({ queryKey: ["self", "balance"], queryFn: () => (balances += 1), staleTime: Infinity });
  useOwnEntries({ page: 1, size: 20, keyword: "" });
  return null;
}

test("the balance at the foot of the menu is read again with the statement, so that both agree", async () => {
  const server = serve({ "GET /api/user/self/entries": { data: statement } });
  await renderAt("/topup?tab=records", () => (
    <QueryClientProvider client={new QueryClient()}>
      <Both />
    </QueryClientProvider>
  ));
  await waitFor(() => expect(balances).toBe(2));
  server.stop();
});
