import { act, fireEvent, screen, waitFor } from "#testing/dom.ts";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { afterEach, expect, test } from "bun:test";
import type { ReactNode } from "react";
import { renderAt } from "#testing/render.tsx";
import { serve } from "#testing/serve.ts";
import { RoundProgress } from "./ChannelTools.tsx";
import { channelWith } from "./testing/channel.ts";
import { useChannelChanges } from "./use-channel-changes.ts";

let stop = () => {};
afterEach(() => stop());

function Changes({
  onReady,
}: {
  readonly onReady: (of: ReturnType<typeof useChannelChanges>) => void;
}) {
  onReady(useChannelChanges());
  return null;
}

const within = (children: ReactNode) => (
  <QueryClientProvider client={new QueryClient()}>{children}</QueryClientProvider>
);

for (const [pressed, isSwitched] of [
  ["取消", false],
  ["禁用", true],
] as const) {
  test(`a tag is switched only after a question, which counts all of its channels: ${pressed}`, async () => {
    const tagged = [1, 2, 3].map((id) => channelWith({ id, tag: "t" }));
    const data = [...tagged, channelWith({ id: 4, tag: "other" })];
    const served = serve({
      "POST /api/channel/search": { data, total: 4 },
      "PUT /api/channel/tag/disabled": {},
      "POST /api/channel/tag/disabled": {},
    });
    ({ stop } = served);
    let changes: ReturnType<typeof useChannelChanges> | undefined;
    await renderAt("/channel?keyword=one&tag_mode=true", () =>
      within(<Changes onReady={(given) => (changes = given)} />),
    );
    let answer: Promise<unknown> = Promise.resolve();
    act(() => void (answer = changes?.switchTag("t", false) ?? answer));
    const question = await screen.findByRole("alertdialog");
    expect(question.textContent).toContain("3 个渠道都会被修改，包括搜索和筛选未显示的渠道");
    fireEvent.click(screen.getByRole("button", { name: pressed }));
    expect(await answer).toBe(isSwitched ? undefined : false);
    const calls = served.asked.map(({ call }) => call);
    expect(calls.some((call) => call.endsWith("/api/channel/tag/disabled"))).toBe(isSwitched);
  });
}

test("an update of all balances ends with the names of those that could not be read", async () => {
  const idle = {
    run: 1,
    done: 0,
    failed: 0,
    total: 2,
    failed_ids: [],
    current: [],
    stopped: false,
  };
  const ended = { ...idle, running: false, done: 2, failed: 1, failed_ids: [2] };
  let asked = 0;
  ({ stop } = serve({
    "GET /api/channel/rounds": () => {
      asked += 1;
      const balances = asked > 1 ? ended : { ...idle, running: true };
      const tests = { ...idle, running: false };
      return Response.json({ success: true, message: "", data: { tests, balances } });
    },
    "GET /api/channel/2": { data: channelWith({ id: 2, name: "down" }) },
  }));
  await renderAt("/channel", () => within(<RoundProgress onFailed={() => undefined} />));
  await waitFor(() => expect(document.body.textContent).toContain("失败 1 个"), { timeout: 8_000 });
  expect(document.body.textContent).toContain("down");
});
