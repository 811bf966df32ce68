import { act, screen } from "#testing/dom.ts";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import type { Channel } from "@tollgate/contract/endpoints/channels.ts";
import { afterEach, expect, test } from "bun:test";
import { setLanguage, useT } from "#i18n/t.ts";
import { renderAt } from "#testing/render.tsx";
import { serve } from "#testing/serve.ts";
import { ChannelName, ResponseCell, TagResponse } from "./channel-cells.tsx";
import { rowsOf } from "./channel-rows.ts";
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

const round = {
  run: 1,
  running: true,
  done: 0,
  failed: 0,
  total: 2,
  failed_ids: [],
  current: [2],
  stopped: false,
};

test("O-074: the row of a channel whose last test failed says why, also after a reload", async () => {
  ({ stop } = serve({
    "GET /api/channel/models_unpriced": { data: [] },
    "GET /api/channel/rounds": { data: { tests: round, balances: round } },
  }));
  const failed = channelWith({ id: 1, response_time: 90, test_time: 5, test_error: "上游超时" });
  await renderAt("/channel", () => (
    <QueryClientProvider client={new QueryClient()}>
      <ChannelName channel={failed} nested={false} />
      <ResponseCell channel={failed} />
      <ResponseCell channel={channelWith({ id: 2, response_time: 90 })} />
    </QueryClientProvider>
  ));
  expect(document.body.textContent).toContain("上游超时");
  expect(document.body.textContent).toContain("测试失败");
  // The second channel is being tested with all others: its last duration gives way to that.
  expect(await screen.findByText("测试中…")).toBeTruthy();
  expect(document.body.textContent).not.toContain("90");
});

function TagResponseOf({ channels }: { readonly channels: readonly Channel[] }) {
  const t = useT();
  const [row] = rowsOf(channels, true, new Set());
  return row?.kind === "tag" ? <TagResponse row={row} t={t} /> : null;
}

test("a tag whose channels failed their tests says so, and is not called untested", async () => {
  const failed = channelWith({ id: 1, test_time: 5, test_error: "上游超时" });
  await renderAt("/channel", () => <TagResponseOf channels={[failed]} />);
  expect(document.body.textContent).toContain("1 个失败");
  expect(document.body.textContent).not.toContain("未测试");
});

test("a tag with fast and failed channels shows the mean duration beside the number of failed ones", async () => {
  const failed = channelWith({ id: 1, test_time: 5, test_error: "上游超时" });
  const fast = channelWith({ id: 2, test_time: 5, response_time: 90 });
  await renderAt("/channel", () => <TagResponseOf channels={[failed, fast]} />);
  expect(document.body.textContent).toContain("90 ms1 个失败");
});
