import { fireEvent, screen, waitFor } from "#testing/dom.ts";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { afterEach, beforeEach, expect, spyOn, test } from "bun:test";
import type { ImportView } from "@tollgate/contract/endpoints/imports.ts";
import { keepSession } from "#api/session.ts";
import { renderAt } from "#testing/render.tsx";
import { ImportsScreen } from "./ImportsScreen.tsx";

const counts = { read: 1_500, created: 1_400, changed: 0, same: 90, left: 10 };
const row: ImportView = {
  id: 3,
  name: "oneapi",
  kind: "new-api",
  source: "mysql://127.0.0.1:3306/oneapi",
  created_at: 1_700_000_000,
  finished_at: 1_700_000_060,
  ended_at: 0,
  undone_at: 0,
  follows: true,
  moving: 1_490,
  progress: {
    rows: { user: counts, token: counts, channel: counts, code: counts },
    sums: { balance: 500_000, debt: 7, tokenRemain: 0 },
    check: null,
  },
};

let rows: ImportView[];
let sent: unknown[];
let fetching: ReturnType<typeof spyOn>;

beforeEach(() => {
  sent = [];
  keepSession({
    id: 1,
    username: "root",
    display_name: "",
    role: 100,
    status: 1,
    group: "default",
  });
  fetching = spyOn(globalThis, "fetch").mockImplementation((async (
    address: string,
    init?: RequestInit,
  ) => {
    const isOpening = new URL(address, "http://localhost").pathname === "/api/import/3/open";
    // Safe cast: `call` sends JSON.
    if (isOpening) sent.push(JSON.parse(init?.body as string));
    const data = isOpening ? { username: "anna" } : rows;
    return Response.json({ success: true, message: "", data });
  }) as unknown as typeof fetch); // safe cast: `call` passes an address and options
});
afterEach(() => {
  fetching.mockRestore();
  keepSession(null);
});

const open = async () =>
  await renderAt(
    "/import",
    () => (
      <QueryClientProvider client={new QueryClient()}>
        <ImportsScreen />
      </QueryClientProvider>
    ),
    { language: "en" },
  );

test("root sees how far an import is, and opens one of the users who cannot call yet", async () => {
  rows = [row];
  await open();
  expect(await screen.findByText("Users cannot call here yet")).toBeTruthy();
  expect(screen.getAllByText("1,400")).toHaveLength(4);
  expect(screen.getByText(/who cannot call here yet: 1,490/)).toBeTruthy();
  fireEvent.change(screen.getByLabelText("Username"), { target: { value: "anna" } });
  fireEvent.click(screen.getByRole("button", { name: "Open" }));
  await waitFor(() => expect(sent).toEqual([{ user: "anna" }]));
  // Commands are coloured, word by word.
  expect(document.body.textContent).toContain("--name oneapi --finish");
});

test("a last run says whether the balances are equal, and asks for nobody to be opened", async () => {
  const check = { users: 2, there: 10, here: 9 };
  const progress = row.progress && { ...row.progress, check };
  rows = [{ ...row, ended_at: 1_700_000_100, moving: 0, progress }];
  await open();
  expect(
    await screen.findByText(/of 2 users differ: \$0\.00002 there, \$0\.000018 here/),
  ).toBeTruthy();
  expect(screen.queryByRole("button", { name: "Open" })).toBeNull();
});

test("before the first import the page says how to begin", async () => {
  rows = [];
  await open();
  await waitFor(() => expect(document.body.textContent).toContain("3306/oneapi --dry-run"));
});

test("the commands have the address that root writes, as one word of a shell", async () => {
  rows = [];
  await open();
  const field = await screen.findByLabelText("Database or file of the old gateway");
  fireEvent.change(field, { target: { value: "mysql://u:it's@127.0.0.1/x" } });
  await waitFor(() =>
    expect(document.body.textContent).toContain("'mysql://u:it'\\''s@127.0.0.1/x' --dry-run"),
  );
});

test("the report of a dry run is read in the browser: what would come, what is left out and why", async () => {
  rows = [];
  await open();
  await screen.findByText("Report of a dry run");
  const picker = document.querySelector("[data-import-report]");
  if (picker === null) throw new Error("there is no picker");
  const choose = (text: string) =>
    fireEvent.change(picker, { target: { files: [new File([text], "report.json")] } });
  choose("{}");
  expect(await screen.findByText("This is no report of an import")).toBeTruthy();
  const report = {
    from: "new-api",
    source: "/srv/one-api.db",
    dryRun: true,
    rows: { user: counts },
    sums: { balance: 1, debt: 0, used: 0, earnings: 0, tokenRemain: 0, codes: 0, logs: 0 },
    changes: [{ kind: "user", id: "7", what: "anna is renamed to anna_7" }],
    faults: [{ kind: "token", id: "9", what: "key is the key of another token" }],
    unlisted: 0,
    unplaced: [{ table: "users", column: "remark", rows: 12, examples: ["VI•••"] }],
    prices: 40,
    check: null,
    seconds: 33,
  };
  choose(JSON.stringify(report));
  expect(await screen.findByText(/the run will take about 33 s/)).toBeTruthy();
  expect(screen.getByText("API keys 9: key is the key of another token")).toBeTruthy();
  expect(screen.getByText("Users 7: anna is renamed to anna_7")).toBeTruthy();
  expect(screen.getByText("users.remark")).toBeTruthy();
  expect(screen.getByText("1,400")).toBeTruthy();
});
