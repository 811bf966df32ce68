import { act, fireEvent, screen, waitFor } from "#testing/dom.ts";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { afterEach, expect, test } from "bun:test";
import { renderAt } from "#testing/render.tsx";
import { serve } from "#testing/serve.ts";
import { NewChannelsScreen } from "./ChannelsScreen.tsx";
import { channelWith } from "./testing/channel.ts";

const keySearch = "POST /api/channel/new/search";

let stop = () => {};
afterEach(() => stop());

/** Opens root's list at an address. Returns how often it has read channels by each call. */
async function open(at: string) {
  const answer = { data: { items: [channelWith({ id: 1, name: "one" })], total: 1 } };
  const served = serve({ "GET /api/channel/": answer, [keySearch]: answer });
  ({ stop } = served);
  await renderAt(at, () => (
    <QueryClientProvider
      client={new QueryClient({ defaultOptions: { queries: { retry: false } } })}
    >
      <NewChannelsScreen />
    </QueryClientProvider>
  ));
  return (call: string) => served.asked.filter((asked) => asked.call === call).length;
}

const query = () => act(async () => fireEvent.click(screen.getByRole("button", { name: "查询" })));

test("O-089 O-167: a query with all fields empty reads the normal list again", async () => {
  const count = await open("/newChannel");
  await waitFor(() => expect(count("GET /api/channel/")).toBe(1));
  await query();
  await waitFor(() => expect(count("GET /api/channel/")).toBe(2));
  expect(count(keySearch)).toBe(0);
});

test("O-089: the same query for a key asks again", async () => {
  const count = await open("/newChannel?model=m");
  fireEvent.change(screen.getByLabelText("完整密钥（须先选模型）"), {
    target: { value: "sk-a-key-of-one" },
  });
  await query();
  await waitFor(() => expect(count(keySearch)).toBeGreaterThan(0));
  const before = count(keySearch);
  await query();
  await waitFor(() => expect(count(keySearch)).toBe(before + 1));
});
