import { cleanup, screen, setWindowWidth } from "#testing/dom.ts";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { afterEach, expect, test } from "bun:test";
import { patience } from "#testing/act.ts";
import { renderAt } from "#testing/render.tsx";
import { serve } from "#testing/serve.ts";
import { NewChannelsScreen } from "./ChannelsScreen.tsx";
import { channelWith } from "./testing/channel.ts";

let stop = () => {};
afterEach(() => {
  stop();
  setWindowWidth(1440);
});

test("O-130: the rows of channels that are not enabled are shaded", async () => {
  const items = [
    channelWith({ id: 1, name: "on", status: 1 }),
    channelWith({ id: 2, name: "off", status: 2 }),
    channelWith({ id: 3, name: "off by itself", status: 3 }),
  ];
  ({ stop } = serve({ "GET /api/channel/": { data: items, total: items.length } }));
  for (const width of [1440, 360]) {
    setWindowWidth(width);
    await renderAt("/newChannel", () => (
      <QueryClientProvider
        client={new QueryClient({ defaultOptions: { queries: { retry: false } } })}
      >
        <NewChannelsScreen />
      </QueryClientProvider>
    ));
    await screen.findByText("off by itself", {}, patience);
    const shaded = items.filter(
      ({ name }) => screen.getByText(name).closest("[data-muted]") !== null,
    );
    expect(shaded.map(({ name }) => name)).toEqual(["off", "off by itself"]);
    cleanup();
  }
});
