/** What the page `/import` shows of imports at full size, and the report of a dry run. */

import type { ImportReport, ImportView } from "@tollgate/contract/endpoints/imports.ts";
import type { Page } from "@playwright/test";

const changed = 3;

const counts = (read: number, created: number, left: number) => ({
  read,
  created,
  changed,
  same: read - created - left - changed,
  left,
});

const rows = {
  user: counts(100_000, 99_000, 12),
  token: counts(200_000, 199_000, 40),
  channel: counts(50, 40, 3),
  code: counts(1_200, 1_100, 0),
  order: counts(3_400, 3_000, 0),
  log: counts(1_000_000, 999_000, 0),
};
const sums = { balance: 15_000_050_000, debt: 123_456, tokenRemain: 10_000_000_000 };
const begun = 1_796_000_000;

/** One import that follows a gateway in use, and one whose last run found a difference. */
const imports: readonly ImportView[] = [
  {
    id: 2,
    name: "oneapi",
    kind: "new-api",
    source: "mysql://127.0.0.1:3306/oneapi",
    created_at: begun,
    finished_at: begun + 300,
    ended_at: 0,
    undone_at: 0,
    follows: true,
    moving: 98_990,
    progress: { rows, sums, check: null },
  },
  {
    id: 1,
    name: "litellm",
    kind: "litellm",
    source: "postgres://database.internal.example.com:5432/litellm",
    created_at: begun - 86_400,
    finished_at: begun - 80_000,
    ended_at: begun - 80_000,
    undone_at: 0,
    follows: false,
    moving: 0,
    progress: {
      rows,
      sums,
      check: { users: 100_000, there: sums.balance, here: sums.balance - 10_000 },
    },
  },
];

const report: ImportReport = {
  from: "new-api",
  source: "/srv/new-api/one-api.db",
  dryRun: true,
  rows,
  sums: { ...sums, used: 5_000_000, earnings: 1_000, codes: 400_000, logs: 123_000 },
  check: null,
  changes: [
    { kind: "user", id: "7", what: "anna is renamed to anna_7" },
    { kind: "channel", id: "12", what: "is disabled: its type 999 is not known here" },
  ],
  faults: [{ kind: "token", id: "9", what: "key is the key of another token" }],
  unlisted: 0,
  unplaced: [
    { table: "vendors", column: "description", rows: 12, examples: ["VI•••", "pa•••", "ol•••"] },
    { table: "midjourneys", column: "", rows: 1_234, examples: [] },
  ],
  prices: 40,
  seconds: 33,
};

/** Opens the page with these imports and the report. */
export async function openImports(page: Page): Promise<void> {
  await page.route("**/api/import/", async (route) => {
    await route.fulfill({ json: { success: true, message: "", data: imports } });
  });
  await page.goto("/import");
  await page.locator("[data-import-report]").setInputFiles({
    name: "report.json",
    mimeType: "application/json",
    buffer: Buffer.from(JSON.stringify(report)),
  });
  await page.getByText("vendors.description").waitFor();
}
