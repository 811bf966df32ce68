import "#testing/texts.ts";
import { fireEvent, screen } from "#testing/dom.ts";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { afterEach, expect, test } from "bun:test";
import { keepSession, onSessionExpired, readSession } from "#api/session.ts";
import { renderAt } from "#testing/render.tsx";
import { type Answer, serve } from "#testing/serve.ts";
import { KeyQueryScreen } from "./KeyQueryScreen.tsx";

let stop = () => {};
afterEach(() => {
  stop();
  keepSession(null);
});

const usage = {
  object: "token_usage",
  name: "laptop",
  total_granted: 1_000_000,
  total_used: 250_000,
  total_available: 750_000,
  unlimited_quota: false,
  model_limits: { "gpt-4o": true },
  model_limits_enabled: true,
  expires_at: 0,
  key_ends_at: 0,
  budgets: [{ window: "week", limit: 500_000, spent: 400_000, resets_at: 1_795_996_800 }],
};

const row = {
  id: 1,
  user_id: 7,
  username: "alice",
  created_at: 1_795_386_747,
  type: 2,
  content: "",
  token_id: 5,
  token_name: "laptop",
  model_name: "gpt-4o",
  quota: 12_345,
  reversed: false,
  refunded: 0,
  rerated: 0,
  prompt_tokens: 1_200,
  completion_tokens: 34,
  use_time: 1,
  is_stream: false,
  group: "default",
  other: "",
  channel: 0,
  channel_name: "",
  request_id: "2026-abc",
  usage_source: "upstream",
  seen_output: 0,
  conversation_id: 0,
  placement: "",
  moved_quota: 0,
  tool_names: [],
  tags: [],
  ending: "",
  price_version: 1,
  losses: [],
};

async function open(answers: Readonly<Record<string, Answer>>) {
  const server = serve(answers);
  ({ stop } = server);
  const queries = new QueryClient();
  const rendered = await renderAt(
    "/query",
    () => (
      <QueryClientProvider client={queries}>
        <KeyQueryScreen />
      </QueryClientProvider>
    ),
    { language: "zh" },
  );
  return { ...rendered, server, queries };
}

const key = `sk-${"k".repeat(48)}`;
function enter(): void {
  fireEvent.change(screen.getByLabelText("令牌密钥"), { target: { value: ` ${key} ` } });
  fireEvent.click(screen.getByRole("button", { name: "查询" }));
}

test("O-293: usage, budgets and calls of a key are shown; the key is sent in a header and is nowhere else", async () => {
  const { address, server, queries } = await open({
    "GET /api/usage/token/": () => Response.json({ code: true, message: "ok", data: usage }),
    "GET /api/log/token": { data: [row], total: 1 },
  });
  enter();
  await screen.findByText("2026-abc");
  for (const text of ["laptop", "$1.50", "$0.50", "$0.20", "$0.02469"]) {
    expect([text, screen.getAllByText(text).length]).toEqual([text, 1]);
  }
  expect(server.asked.map(({ call }) => call)).toEqual([
    "GET /api/usage/token/",
    "GET /api/log/token",
  ]);
  for (const asked of server.asked) {
    expect(asked.headers.get("authorization")).toBe(`Bearer ${key}`);
    expect(asked.credentials).toBe("omit");
    expect(asked.query.toString()).not.toContain("kkk");
  }
  expect(address()).toBe("/query");
  const kept = JSON.stringify(
    queries
      .getQueryCache()
      .getAll()
      .map(({ queryKey }) => queryKey),
  );
  expect(kept + JSON.stringify(localStorage) + JSON.stringify(sessionStorage)).not.toContain("kkk");
});

test("a refused key is said above the form, and does not sign out a user", async () => {
  keepSession({ id: 7, username: "alice", display_name: "", role: 1, status: 1, group: "default" });
  const expired: number[] = [];
  const forget = onSessionExpired(() => void expired.push(1));
  const refusal = { success: false, message: "令牌无效，或者当前不能使用" };
  const { server } = await open({
    "GET /api/usage/token/": () => Response.json(refusal, { status: 401 }),
  });
  enter();
  expect(await screen.findByText("令牌无效，或者当前不能使用")).toBeTruthy();
  expect(screen.getByLabelText<HTMLInputElement>("令牌密钥").value).toContain(key);
  expect(server.asked.length).toBe(1);
  expect([expired.length, readSession()?.id]).toEqual([0, 7]);
  forget();
});
