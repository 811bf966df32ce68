import { fireEvent, screen } from "#testing/dom.ts";
import "#testing/texts.ts";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { expect, test } from "bun:test";
import { keepSession } from "#api/session.ts";
import { renderAt } from "#testing/render.tsx";
import { serve } from "#testing/serve.ts";
import { OrganisationsScreen } from "./OrganisationsScreen.tsx";

const patient = { timeout: 20_000 };

const lab = {
  id: 7,
  name: "Lab",
  handle: "lab",
  state: "open",
  group: "default",
  quota: 500_000,
  debt: 0,
  used_quota: 0,
  request_count: 0,
  people: 2,
  created_at: 1_700_000_000,
};

const use = {
  start: 0,
  end: 0,
  quota: 0,
  request_count: 0,
  projects: [],
  people: [],
  models: [],
  days: [],
};

async function open(role: string | null) {
  keepSession({
    id: 3,
    username: "anna",
    display_name: "anna",
    role: 1,
    status: 1,
    group: "default",
  });
  const own = { ...lab, role };
  const server = serve({
    "GET /api/organisation/": { data: role === null ? [] : [own] },
    "GET /api/organisation/7": { data: own },
    "GET /api/organisation/7/use": { data: use },
    "GET /api/organisation/7/keys": { data: [] },
    "GET /api/organisation/7/projects": { data: [] },
  });
  await renderAt("/setting", () => (
    <QueryClientProvider client={new QueryClient()}>
      <p>there</p>
      <OrganisationsScreen />
    </QueryClientProvider>
  ));
  return server;
}

test("whoever belongs to no organisation sees nothing of them", async () => {
  const server = await open(null);
  await screen.findByText("there", {}, patient);
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(screen.queryByText("组织")).toBeNull();
  server.stop();
});

test("a developer sees what is spent and makes keys, and nothing to move quota or to close it", async () => {
  const server = await open("developer");
  await screen.findByRole("heading", { name: "Lab" }, patient);
  expect(screen.queryByRole("button", { name: "转账" })).toBeNull();
  expect(screen.queryByRole("button", { name: "关闭" })).toBeNull();
  fireEvent.click(screen.getByRole("tab", { name: "密钥" }));
  expect(await screen.findByRole("button", { name: "新建密钥" }, patient)).toBeDefined();
  server.stop();
});

test("an owner moves quota and can close it", async () => {
  const server = await open("owner");
  await screen.findByRole("heading", { name: "Lab" }, patient);
  expect(screen.getByRole("button", { name: "转账" })).toBeDefined();
  expect(screen.getByRole("button", { name: "关闭" })).toBeDefined();
  server.stop();
});
