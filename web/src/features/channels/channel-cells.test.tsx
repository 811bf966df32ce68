import { act } from "#testing/dom.ts";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { afterEach, expect, test } from "bun:test";
import { setLanguage } from "#i18n/t.ts";
import { renderAt } from "#testing/render.tsx";
import { serve } from "#testing/serve.ts";
import { ChannelName } from "./channel-cells.tsx";
import { channelWith } from "./testing/channel.ts";

let stop = () => {};
afterEach(async () => {
  stop();
  await setLanguage("zh");
});

test("the row of a disabled channel gives the reason in the words of its test, in each language", async () => {
  ({ stop } = serve({ "GET /api/channel/models_unpriced": { data: [] } }));
  const status_reason = "上游拒绝了该密钥 (401)：Incorrect API key provided: ***";
  const channel = channelWith({ status: 3, other_info: JSON.stringify({ status_reason }) });
  await renderAt("/channel", () => (
    <QueryClientProvider client={new QueryClient()}>
      <ChannelName channel={channel} nested={false} />
    </QueryClientProvider>
  ));

  expect(document.body.textContent).toContain(status_reason);
  await act(async () => await setLanguage("en"));
  expect(document.body.textContent).toContain(
    "The upstream refused this key (401): Incorrect API key provided: ***",
  );
});
