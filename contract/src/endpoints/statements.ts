/**
 * The statement of a balance as a file that can be checked without the gateway: every change of the
 * balance, chained by hash, and for each charge its receipt: what its owner may see of the call in
 * clear, and what root alone sees as a digest.
 */

import { z } from "zod";
import { queryWhole } from "@tollgate/contract/fields/fields.ts";
import { priceList } from "@tollgate/contract/money/charge.ts";
import { entryKind } from "./entries.ts";
import { endpoint } from "./endpoint.ts";

/** The most lines of one answer; a longer statement is read in several. */
export const statementPartMax = 500;

/** What the owner may see of a call: the names of the values in a receipt, in their order. */
export const receiptNames = [
  "id",
  "request_id",
  "created_at",
  "type",
  "user_id",
  "username",
  "token_id",
  "token_name",
  "model_name",
  "group",
  "quota",
  "write_off",
  "prompt_tokens",
  "completion_tokens",
  "use_time",
  "is_stream",
  "content",
  "client_ip",
  "usage",
  "usage_source",
  "price_version",
  "losses",
  "seen_output",
  "other",
] as const;

const whole = z.number().int();
const hash = z.string().regex(/^[0-9a-f]{64}$/);

const receipt = z.object({
  /** The values of `receiptNames`. */
  values: z.array(z.union([z.string(), whole])).length(receiptNames.length),
  /** What the ledger stores of the call: hex SHA-256 over the digest of the values and the other one. */
  row_hash: hash,
  root_digest: hash,
  /** The place of the prices of the charge in the list of the statement; null: not known. */
  prices: whole.nullable(),
});

const statementLine = z.object({
  /** Position among all changes of the user's balance, from 1. */
  seq: whole,
  /** Unix seconds. */
  created_at: whole,
  kind: entryKind,
  amount: whole,
  debt: whole,
  balance_after: whole,
  /** Null: the line is about no charge, or is proven by `tollgate audit` only. */
  receipt: receipt.nullable(),
  /** Whether the line is a charge whose call has no receipt: of an earlier version, or cleaned. */
  audit_only: z.boolean(),
  /** See `lineHash` of `statement-check.ts`. */
  hash,
});
export type StatementLine = z.infer<typeof statementLine>;

const statementPrices = z.object({ version: whole, model: z.string(), list: priceList });

/** The form of the file; the number is its version. */
export const statementFile = z.object({
  tollgate_statement: z.literal(1),
  user_id: whole,
  /** The changes from `start` to before `end`, in Unix seconds. */
  start: whole,
  end: whole,
  /** The prices of the charges, each for one model and group. */
  prices: z.array(statementPrices),
  lines: z.array(statementLine),
});
export type StatementFile = z.infer<typeof statementFile>;

/** Reads a part of the caller's statement; the next part goes on after its last line. */
export const readStatementPart = endpoint({
  method: "GET",
  path: "/api/log/self/statement",
  access: "user",
  input: z.object({
    start_timestamp: queryWhole,
    end_timestamp: queryWhole,
    /** The number and the hash of the line before; absent: the part is the first one. */
    after: queryWhole,
    previous: z.union([hash, z.literal("")]).default(""),
  }),
  output: statementFile.extend({ more: z.boolean() }),
});
