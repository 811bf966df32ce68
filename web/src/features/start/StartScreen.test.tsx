import { act, fireEvent, screen, waitFor, within } from "#testing/dom.ts";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { afterEach, expect, test } from "bun:test";
import type { SetupChecklist, UserChecklist } from "@tollgate/contract/endpoints/checklist.ts";
import type { Status } from "@tollgate/contract/endpoints/status.ts";
import { keepSession } from "#api/session.ts";
import { statusStore } from "#api/status.ts";
import { renderAt } from "#testing/render.tsx";
import { type Answer, serve } from "#testing/serve.ts";
import { setupListWith, userListWith } from "#widgets/testing/checklists.ts";
import { statusWith } from "#widgets/testing/status.ts";
import { tokenWith } from "#widgets/testing/token.ts";
import { StartScreen } from "./StartScreen.tsx";

let stop = () => {};
afterEach(() => {
  stop();
  keepSession(null);
});

const ann = {
  id: 7,
  username: "ann",
  display_name: "",
  role: 1,
  status: 1,
  group: "default",
} as const;

async function show(
  user: { readonly id: number; readonly role: 1 | 100 },
  answers: Readonly<Record<string, Answer>>,
  status: Partial<Status> = {},
) {
  statusStore.write({
    kind: "ready",
    status: statusWith({ display_in_currency: true, ...status }),
    error: null,
  });
  const server = serve(answers);
  stop = server.stop;
  keepSession({ ...ann, ...user });
  const queries = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  const rendered = await renderAt(
    "/start",
    () => (
      <QueryClientProvider client={queries}>
        <StartScreen />
      </QueryClientProvider>
    ),
    { language: "en" },
  );
  return { ...rendered, asked: server.asked };
}

const showSetup = async (list: SetupChecklist, more: Readonly<Record<string, Answer>> = {}) =>
  await show({ id: 1, role: 100 }, { "GET /api/setup/checklist": { data: list }, ...more });

const showUser = async (
  list: UserChecklist,
  more: Readonly<Record<string, Answer>> = {},
  status: Partial<Status> = {},
) =>
  await show(
    { id: 7, role: 1 },
    {
      "GET /api/user/checklist": { data: list },
      "GET /api/user/models": { data: ["babbage-002", "gpt-4o-mini"] },
      ...more,
    },
    status,
  );

const stepOf = async (title: string) =>
  within(await screen.findByRole("listitem", { name: title }));
const hrefOf = async (step: string, link: string) =>
  (await stepOf(step)).getByRole("link", { name: link }).getAttribute("href");

test("root's first step is the next one, and each button leads to its very place", async () => {
  await showSetup(setupListWith({}));
  const provider = await screen.findByRole("listitem", { name: "Connect a provider and test it" });
  expect(provider.getAttribute("aria-current")).toBe("step");
  expect(screen.getByText("0 of 9 steps done")).toBeTruthy();
  expect(await hrefOf("Connect a provider and test it", "Add a channel")).toBe("/channel?open=new");
  expect(await hrefOf("Create an API key", "New API key")).toBe("/token?open=new");
  expect(await hrefOf("Decide how new users start", "Set the starting balance")).toBe(
    "/setting?tab=operation#QuotaForNewUser",
  );
  expect(await hrefOf("Connect a mail server", "Set up email")).toBe("/setting?tab=system#mail");
  expect(await hrefOf("Protect this account with 2FA", "Set up 2FA")).toBe(
    "/setting?tab=personal#security",
  );
});

test("a channel that has not answered leads to its test, unpriced models to their prices", async () => {
  const facts = {
    provider: { enabled: 2, proven: 0, last_test: 0, unproven_id: 5 },
    prices: { models: 3, unpriced: 2 },
  };
  await showSetup(setupListWith({ facts }));
  expect(await hrefOf("Connect a provider and test it", "Test the channel")).toBe(
    "/channel?open=test-5",
  );
  expect(await hrefOf("Give every model a price", "Set prices")).toBe("/prices?show=unpriced");
});

test("a finished step shows the fact: channels, cost, starting balance in dollars", async () => {
  const facts = {
    provider: {
      enabled: 3,
      proven: 3,
      last_test: Math.floor(Date.now() / 1_000) - 130,
      unproven_id: 0,
    },
    call: { count: 12, quota: 105 },
    users: { open: true, quota: 500_000 },
  };
  await showSetup(setupListWith({ done: ["provider", "call", "users"], facts }));
  const provider = await stepOf("Connect a provider and test it");
  provider.getByText(/Enabled channels: 3/);
  provider.getByText(/2 min\.? ago/);
  provider.getByRole("img", { name: "Done" });
  (await stepOf("Make a first call")).getByText("Charged calls: 12, for $0.00021");
  (await stepOf("Decide how new users start")).getByText(/New users start with \$1\.00/);
  screen.getByText("3 of 9 steps done");
});

test("root is told that new users start with $0.00, and may keep it", async () => {
  const { asked } = await showSetup(setupListWith({}), { "PUT /api/setup/checklist": {} });
  const users = await stepOf("Decide how new users start");
  users.getByText(/New users start with \$0\.00, so their first call is refused/);
  await act(async () => fireEvent.click(users.getByRole("button", { name: "Keep $0.00" })));
  await waitFor(() => expect(asked.map(({ call }) => call)).toContain("PUT /api/setup/checklist"));
});

test("the backup names the file with the key, and only root's word ticks it", async () => {
  await showSetup(setupListWith({}));
  const backup = await stepOf("Back up the secret key");
  backup.getByText(/Copy \/data\/secret\.key/);
  backup.getByRole("button", { name: "I have a copy" });
  stop();
  const facts = { backup: { dialect: "postgres", key_file: "" } } as const;
  await showSetup(setupListWith({ facts }));
  (await stepOf("Back up the secret key")).getByText(/TOLLGATE_SECRET_KEY.*PostgreSQL/);
  stop();
  await showSetup(setupListWith({ done: ["backup"], marked: { backup: 1_795_000_000 } }));
  const confirmed = await stepOf("Back up the secret key");
  confirmed.getByText(/You confirmed it at 2026/);
  confirmed.getByRole("button", { name: "Undo" });
});

test("a dismissed list says so, and can be shown again", async () => {
  await showSetup(setupListWith({ dismissed: true }));
  await screen.findByText(/hidden from the menu/);
  screen.getByRole("button", { name: "Show in the menu" });
});

test("a failure to read the list can be tried again", async () => {
  await show({ id: 1, role: 100 }, { "GET /api/setup/checklist": "数据库错误，请稍后重试" });
  await screen.findByRole("button", { name: "Try again" });
});

test("a user with $0.00 is told whom to ask, with a request to copy", async () => {
  await showUser(userListWith({}), {}, { system_name: "Gate" });
  const balance = await stepOf("Balance");
  balance.getByText(/You have \$0\.00.*operator of Gate.*invited you/);
  balance.getByRole("button", { name: "Copy a request" });
  expect(balance.queryByRole("link")).toBeNull();
});

test("a user with $0.00 is led to the shop, if root has named one", async () => {
  await showUser(userListWith({}), {}, { top_up_link: "https://shop.example/codes" });
  expect(await hrefOf("Balance", "Top up")).toBe("https://shop.example/codes");
});

test("self-use mode shows the balance on the start page only while there is none", async () => {
  await showUser(userListWith({ quota: 5 }), {}, { self_use_mode_enabled: true });
  await screen.findAllByRole("listitem");
  expect(screen.queryByRole("listitem", { name: "Balance" })).toBeNull();
});

test("one press creates the first key, which then stands in an example that works", async () => {
  const key = "a".repeat(48);
  const answers: Record<string, Answer> = {
    "POST /api/token/": { data: { ...tokenWith({ id: 3 }), key } },
  };
  const list = { ...userListWith({ quota: 500_000 }) };
  const { asked } = await showUser(list, answers);
  const step = await stepOf("Create an API key");
  // The server counts the new token from the next read on.
  Object.assign(list, { tokens: 1 });
  await act(async () => fireEvent.click(step.getByRole("button", { name: "Create my first key" })));
  expect(await screen.findAllByText(new RegExp(`sk-${key}`))).not.toBeEmpty();
  const call = await stepOf("Make a first call");
  await call.findByText(/Waiting for your first call/);
  const code = await call.findByRole("group", { name: "bash" });
  expect(code.textContent).toContain(`Bearer sk-${key}`);
  expect(code.textContent).toContain('"model":"gpt-4o-mini"');
  expect(asked.filter(({ call: made }) => made === "POST /api/token/")).toHaveLength(1);
});

test("a key of an earlier visit is shown masked", async () => {
  const answers = {
    "GET /api/token/": { data: [tokenWith({ id: 3, key: "ab12••••wxyz" })], total: 1 },
  };
  await showUser(userListWith({ quota: 1, tokens: 1 }), answers);
  const code = await (await stepOf("Make a first call")).findByRole("group", { name: "bash" });
  expect(code.textContent).toContain("Bearer sk-ab12••••wxyz");
});

test("without any model the user learns whom to ask, and gets no example that fails", async () => {
  const none = { "GET /api/user/models": { data: [] }, "GET /api/token/": { data: [], total: 0 } };
  await showUser(userListWith({ quota: 1, tokens: 1 }), none);
  await screen.findByText("No model can be called with your account yet");
  expect(screen.queryByRole("group", { name: "bash" })).toBeNull();
});
