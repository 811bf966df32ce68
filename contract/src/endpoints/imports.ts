/**
 * What was brought here from other gateways by `tollgate import`, for root. The command does the
 * work; here one sees how far it is, and opens users who cannot call here yet.
 */

import { z } from "zod";
import { endpoint } from "./endpoint.ts";
import { id } from "@tollgate/contract/fields/fields.ts";

const whole = z.number().int();

/** The largest number of imports of an answer: the newest ones. */
export const importsMax = 50;

/** The kinds of rows that are brought. */
export const importKinds = ["user", "token", "channel", "code", "order", "log"] as const;
export type ImportKind = (typeof importKinds)[number];

const counts = z.object({
  /** Rows that the last run has read; of these, how many came, changed, stayed, or were left out. */
  read: whole,
  created: whole,
  changed: whole,
  same: whole,
  left: whole,
});

export const importProgress = z.object({
  /** Runs of before did not bring all kinds. */
  rows: z.partialRecord(z.enum(importKinds), counts),
  /** In quota units. */
  sums: z.object({ balance: whole, debt: whole, tokenRemain: whole }),
  /** What users should have, and what they had here, after the last run; null: it is to come. */
  check: z.object({ users: whole, there: whole, here: whole }).nullable(),
});

/** The longest report that a page opens, in characters. */
export const importReportMax = 20_000_000;

const note = z.object({ kind: z.enum(importKinds), id: z.string(), what: z.string() });

/** The report of a run or a dry run, as the command writes it with `--json`. */
export const importReport = importProgress.extend({
  from: z.string(),
  source: z.string(),
  dryRun: z.boolean(),
  /** In quota units. */
  sums: importProgress.shape.sums.extend({
    used: whole,
    earnings: whole,
    codes: whole,
    logs: whole,
  }),
  /** Rows that come otherwise than they were, and rows that do not come; the first of each. */
  changes: z.array(note),
  faults: z.array(note),
  unlisted: whole,
  /** What has no place here: a table, or a column of one, with masked values. */
  unplaced: z.array(
    z.object({
      table: z.string(),
      column: z.string(),
      rows: whole,
      examples: z.array(z.string()),
    }),
  ),
  prices: whole,
  seconds: whole,
});
export type ImportReport = z.infer<typeof importReport>;

const importView = z.object({
  id: whole,
  name: z.string(),
  /** The program of the source, such as `new-api`. */
  kind: z.string(),
  /** Where the source is, without user name and password. */
  source: z.string(),
  /** Unix seconds, as are all times here; 0: that has not happened. */
  created_at: whole,
  /** When a run last came to its end. */
  finished_at: whole,
  /** When its last run ended, after which nothing is read from there. */
  ended_at: whole,
  undone_at: whole,
  /** Whether its users cannot call here until the last run. */
  follows: z.boolean(),
  /** How many users cannot call here yet. */
  moving: whole,
  /** Of the last run; null: none has come that far. */
  progress: importProgress.nullable(),
});
export type ImportView = z.infer<typeof importView>;

/** Lists imports, newest first. */
export const listImports = endpoint({
  method: "GET",
  path: "/api/import/",
  access: "root",
  input: z.object({}),
  output: z.array(importView),
});

const userMax = 256;

/** Lets a user of an import call here, who is not read again from then on. */
export const openImportedUser = endpoint({
  method: "POST",
  path: "/api/import/:id/open",
  access: "root",
  input: z.object({
    id,
    /** The name here, or the id at the source. */
    user: z.string("请输入用户名").trim().min(1, "请输入用户名").max(userMax, "请输入用户名"),
  }),
  output: z.object({ username: z.string() }),
});
