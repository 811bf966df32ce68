import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { afterEach, expect, test } from "bun:test";
import type { LiveCall, LiveView } from "@tollgate/contract/endpoints/live.ts";
import { role } from "@tollgate/contract/endpoints/users.ts";
import { keepSession } from "#api/session.ts";
import type { Language } from "#i18n/t.ts";
import { fireEvent, screen, waitFor } from "#testing/dom.ts";
import { renderAt } from "#testing/render.tsx";
import { serve } from "#testing/serve.ts";
import { sayAge } from "./live.columns.tsx";
import { LiveScreen } from "./LiveScreen.tsx";

const patient = { timeout: 20_000 };

function running(part: Partial<LiveCall>): LiveCall {
  return {
    request_id: "r1",
    kind: "call",
    user_id: 7,
    username: "alice",
    token_id: 70,
    token_name: "laptop",
    model_name: "gpt-4o",
    group: "default",
    format: "openai-chat",
    is_stream: true,
    channel: 5,
    channel_name: "north",
    reason: "retry",
    attempts: 2,
    age_ms: 75_000,
    first_byte_ms: 900,
    output_tokens: 1_234,
    tokens_per_second: 16.7,
    quota: 5_000,
    held: 50_000,
    client_gone: false,
    stopping: false,
    node: "box:3000",
    ...part,
  };
}

let served: ReturnType<typeof serve> | undefined;
let sent = "";
afterEach(() => {
  served?.stop();
  keepSession(null);
});

const pushed = (view: LiveView) => () =>
  new Response(`data: ${JSON.stringify(view)}\n\n`, {
    headers: { "content-type": "text/event-stream;charset=utf-8" },
  });

async function open(
  view: LiveView | string,
  as: "admin" | "user" = "admin",
  language: Language = "en",
) {
  served = serve({
    "GET /api/live/stream": typeof view === "string" ? view : pushed(view),
    "POST /api/live/stop": (body) => {
      sent = body;
      return Response.json({ success: true, message: "", data: { stopped: 1, silent: [] } });
    },
  });
  const names = { username: "ann", display_name: "", status: 1, group: "default" } as const;
  keepSession({ id: 1, role: as === "admin" ? role.enum.admin : role.enum.user, ...names });
  await renderAt(
    "/live",
    () => (
      <QueryClientProvider client={new QueryClient()}>
        <LiveScreen />
      </QueryClientProvider>
    ),
    { language },
  );
}

const view: LiveView = {
  calls: [running({}), running({ request_id: "r2", model_name: "claude", stopping: true })],
  total: 2_345,
  sampled: true,
  nodes: [
    { name: "box:3000", calls: 2_000, draining: false, answers: true },
    { name: "box:3001", calls: 345, draining: true, answers: false },
  ],
};

test("what runs is shown as it is told, and what of it is not shown is said", async () => {
  await open(view);
  expect(await screen.findByText("gpt-4o", {}, patient)).toBeDefined();
  expect(
    screen.getByText("The 2 longest of 2,345 calls are shown.", { exact: false }),
  ).toBeDefined();
  expect(screen.getByText("Stopping, waits for these")).toBeDefined();
  expect(screen.getByText("Does not answer")).toBeDefined();
  expect(screen.getAllByText("1:15")).not.toHaveLength(0);
  expect(screen.getByText("box:3001")).toBeDefined();
});

test("a single node is not named", async () => {
  const node = { name: "box:3000", calls: 2, draining: false, answers: true };
  await open({ ...view, nodes: [node] });
  expect(await screen.findByText("2 calls", {}, patient)).toBeDefined();
  expect(screen.queryByText("box:3000")).toBeNull();
});

test("a call is stopped with a reason, which goes with it", async () => {
  await open({ ...view, calls: [running({})], sampled: false });
  await screen.findByText("gpt-4o", {}, patient);
  const row = screen.getAllByRole("row").find((each) => each.textContent?.includes("gpt-4o"));
  const button = [...(row?.querySelectorAll("button") ?? [])].find((each) =>
    /^Stop(?! all)/.test(each.getAttribute("aria-label") ?? each.textContent ?? ""),
  );
  if (button === undefined) throw new Error("the row has no button");
  fireEvent.click(button);
  const reason = await screen.findByRole("textbox", { name: "Reason" }, patient);
  fireEvent.change(reason, { target: { value: "loops" } });
  const dialog = reason.closest("dialog, [role=dialog]");
  const buttons = [...(dialog?.querySelectorAll("button") ?? [])];
  const stop = buttons.find(({ textContent }) => textContent === "Stop");
  if (stop !== undefined) fireEvent.click(stop);
  await waitFor(() => expect(sent).not.toBe(""), patient);
  expect(JSON.parse(sent)).toEqual({ request_ids: ["r1"], reason: "loops" });
});

test("users see neither user, channel nor node", async () => {
  await open({ ...view, nodes: [], sampled: false }, "user", "zh");
  expect(await screen.findByText("gpt-4o", {}, patient)).toBeDefined();
  expect(screen.queryByText("north")).toBeNull();
  expect(screen.queryByText("alice")).toBeNull();
});

test("that nothing runs, and that the server does not answer, is said", async () => {
  await open({ calls: [], total: 0, sampled: false, nodes: [] });
  expect(await screen.findByText("No call runs now", {}, patient)).toBeDefined();
  served?.stop();
});

test("a refusal is shown", async () => {
  await open("同时打开的实时页面过多，请关闭其他页面后重试");
  expect(await screen.findByText(/Not connected/, {}, patient)).toBeDefined();
});

test("an age is short, and steady while it grows", () => {
  expect([4_200, 750_000, 3_723_000].map(sayAge)).toEqual(["0:04", "12:30", "1:02:03"]);
});
