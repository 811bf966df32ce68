import { act, fireEvent, screen, waitFor } from "#testing/dom.ts";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { afterEach, beforeEach, expect, spyOn, test } from "bun:test";
import type { AuditRow } from "@tollgate/contract/endpoints/audit.ts";
import { keepSession } from "#api/session.ts";
import { renderAt } from "#testing/render.tsx";
import { AuditScreen } from "./AuditScreen.tsx";

const patient = { timeout: 20_000 };

const row: AuditRow = {
  id: 12,
  created_at: 1_700_000_000,
  actor_id: 1,
  actor_name: "root",
  client_ip: "203.0.113.9",
  action: "option.update",
  target: "option:RetryTimes",
  target_name: "",
  detail: '{"before":"2","after":"3"}',
  intact: true,
};
const broken: AuditRow = {
  ...row,
  id: 11,
  actor_id: 0,
  actor_name: "",
  action: "something.new",
  target: "thing:5",
  detail: "",
  intact: false,
};

/**
 * What the server answers to the verification of the log. The list of entries is always the same.
 */
let proof: object;
let asked: URL[];
let fetching: ReturnType<typeof spyOn>;

beforeEach(() => {
  asked = [];
  keepSession({
    id: 1,
    username: "root",
    display_name: "",
    role: 100,
    status: 1,
    group: "default",
  });
  fetching = spyOn(globalThis, "fetch").mockImplementation((async (address: string) => {
    const url = new URL(address, "http://localhost");
    asked.push(url);
    const page = { items: [row, broken], page: 1, page_size: 20, total: 2 };
    const data = url.pathname === "/api/audit/check" ? proof : page;
    return Response.json({ success: true, message: "", data });
  }) as unknown as typeof fetch); // safe cast: `call` passes an address and options
});
afterEach(() => {
  fetching.mockRestore();
  keepSession(null);
});

const open = async (at: string, language?: "en") =>
  await renderAt(
    at,
    () => (
      <QueryClientProvider client={new QueryClient()}>
        <AuditScreen />
      </QueryClientProvider>
    ),
    language === undefined ? {} : { language },
  );

test("P-S8: a row says who did what to whom and from where; unknown actions show as they are", async () => {
  await open("/audit");
  await screen.findByText("修改设置", {}, patient);
  const cells = screen.getAllByRole("row").map((each) => each.textContent);
  expect(cells[1]).toContain("root #1");
  expect(cells[1]).toContain("option:RetryTimes");
  expect(cells[1]).toContain("203.0.113.9");
  expect(cells[1]).toContain("完好");
  expect(cells[2]).toContain("系统或访客");
  expect(cells[2]).toContain("something.new");
  expect(cells[2]).toContain("不符");
});

test("the address holds the filters, and a value of a row adds one", async () => {
  const { address } = await open("/audit?actor=root&action=option.&start=5");
  await screen.findByText("option:RetryTimes", {}, patient);
  expect(Object.fromEntries(asked[0]?.searchParams ?? [])).toEqual({
    p: "1",
    page_size: "20",
    actor: "root",
    action: "option.",
    target: "",
    start_timestamp: "5",
  });
  fireEvent.click(screen.getByTitle("只看 option:RetryTimes"));
  await waitFor(() => expect(address()).toContain("target=option%3ARetryTimes"));
});

test("a row unfolds into the values before and after", async () => {
  await open("/audit?expanded=12,11");
  await screen.findByLabelText("此前：2", {}, patient);
  screen.getByLabelText("此后：3");
  screen.getByText(/记录 #11 的哈希与内容或前一条记录不符/);
});

test("the chain is verified on demand, and reported as whole, broken or cut short", async () => {
  for (const [answer, said] of [
    [{ intact: true, count: 1_234, broken_id: null }, /1,234 rows, none/],
    [{ intact: false, count: 10, broken_id: 11 }, /first 10 rows .* row #11 is not/],
    [{ intact: false, count: 12, broken_id: null }, /12 rows .* missing at the end/],
  ] as const) {
    proof = answer;
    await open("/audit", "en");
    const button = await screen.findByRole("button", { name: "Verify chain" }, patient);
    await act(async () => fireEvent.click(button));
    await screen.findByText(said, {}, patient);
  }
});
