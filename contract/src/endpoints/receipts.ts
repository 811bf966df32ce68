/**
 * The receipt of a charge: everything that its hash covers, but for what root alone sees, of which it
 * has a digest that says nothing. Whoever has it can compute the hash and compare it with the entry
 * of the balance, without being told what the call cost and which channel answered.
 */

import { z } from "zod";
import { endpoint } from "./endpoint.ts";
import { id } from "@tollgate/contract/fields/fields.ts";

const whole = z.number().int();

const receipt = z.object({
  /** The entry of the balance: its place among the user's entries, and what it took, below 0. */
  seq: whole,
  amount: whole,
  /** The hash of the log row, which the entry stores. */
  row_hash: z.string(),
  /** What the user may see of the row: names and values, in the order in which they are hashed. */
  fields: z.array(z.object({ name: z.string(), value: z.union([z.string(), whole]) })),
  /** Hex SHA-256 over the JSON array of the values above. */
  digest: z.string(),
  /** The digest of what root alone sees, which begins with random digits. */
  root_digest: z.string(),
});
export type Receipt = z.infer<typeof receipt>;

/**
 * Reads the receipt of a charged call by the id of its log row; null: the row is from before there
 * were two digests. `row_hash` is the hex SHA-256 over `digest` and `root_digest`, one after the other.
 * Users may read their own, admins all.
 */
export const readReceipt = endpoint({
  method: "GET",
  path: "/api/log/receipt/:id",
  access: "user",
  input: z.object({ id }),
  output: receipt.nullable(),
});
