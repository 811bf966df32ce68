/**
 * Checks a statement of a balance with nothing but the statement: the chain of its lines, the
 * balance, the receipts of calls, and every charge by the formula.
 */

import { charge, type ChargedUsage, chargedUsage, unitPrice } from "./charge.ts";
import { sha256 } from "./sha-256.ts";
import {
  receiptNames,
  type StatementFile,
  statementFile,
  type StatementLine,
} from "@tollgate/contract/endpoints/statements.ts";

type Receipt = NonNullable<StatementLine["receipt"]>;
type ReceiptName = (typeof receiptNames)[number];

/** What is wrong with a line. */
export type StatementFault = "amount" | "balance" | "chain" | "charge" | "order" | "receipt";

export type StatementCheck = {
  readonly file: StatementFile;
  /** The number of a line, and the first thing that is wrong with it. */
  readonly faults: readonly { readonly seq: number; readonly fault: StatementFault }[];
  /** How many charges are proven by their receipts, and how many by the gateway's audit only. */
  readonly proven: number;
  readonly auditOnly: number;
  /** The hash of the last line: whoever has the same one has the same statement. Empty: no lines. */
  readonly head: string;
};

/** The longest file that is read, in characters. */
const statementTextMax = 50_000_000;

/** Computes the hash of a line: hex SHA-256 over the hash before it and its values, as JSON. */
export function lineHash(previous: string, line: Omit<StatementLine, "hash">): string {
  const { seq, created_at, kind, amount, debt, balance_after, receipt, audit_only } = line;
  const proof = receipt?.row_hash ?? (audit_only ? "audit" : "");
  const values = [previous, seq, created_at, kind, amount, debt, balance_after, proof];
  return sha256(JSON.stringify(values));
}

/** Returns a value of a receipt. */
export function receiptValue({ values }: Receipt, name: ReceiptName): number | string {
  return values[receiptNames.indexOf(name)] ?? "";
}

/** Reads the counts of a receipt; undefined: they cannot be read. */
export function receiptUsage(receipt: Receipt): ChargedUsage | undefined {
  try {
    return chargedUsage.parse(JSON.parse(String(receiptValue(receipt, "usage"))));
  } catch {
    return undefined;
  }
}

/** Checks the text of a statement; undefined: it is none. */
export function checkStatement(text: string): StatementCheck | undefined {
  const file = readFile(text);
  if (file === undefined) return undefined;
  const faults: { seq: number; fault: StatementFault }[] = [];
  let before: StatementLine | undefined;
  let proven = 0;
  let auditOnly = 0;
  for (const line of file.lines) {
    const fault = faultOf(file, line, before);
    if (fault !== null) faults.push({ seq: line.seq, fault });
    else if (line.receipt !== null) proven += 1;
    if (line.audit_only) auditOnly += 1;
    before = line;
  }
  return { file, faults, proven, auditOnly, head: before?.hash ?? "" };
}

function readFile(text: string): StatementFile | undefined {
  if (text.length > statementTextMax) return undefined;
  try {
    return statementFile.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}

function faultOf(
  file: StatementFile,
  line: StatementLine,
  before: StatementLine | undefined,
): StatementFault | null {
  if (before !== undefined && line.seq !== before.seq + 1) return "order";
  if (line.receipt !== null) {
    const fault = receiptFault(file, line, line.receipt);
    if (fault !== null) return fault;
  }
  if (lineHash(before?.hash ?? "", line) !== line.hash) return "chain";
  const balance = before === undefined ? undefined : before.balance_after + line.amount;
  return balance === undefined || balance === line.balance_after ? null : "balance";
}

function receiptFault(
  { prices, user_id }: StatementFile,
  { amount, kind }: StatementLine,
  receipt: Receipt,
): StatementFault | null {
  const digest = sha256(JSON.stringify(receipt.values));
  if (sha256(`${digest}${receipt.root_digest}`) !== receipt.row_hash) return "receipt";
  const of = (name: ReceiptName) => receiptValue(receipt, name);
  const quota = Number(of("quota"));
  if (kind !== "settle" || of("user_id") !== user_id || quota !== 0 - amount) return "amount";
  const found = receipt.prices === null ? undefined : prices[receipt.prices];
  const usage = receiptUsage(receipt);
  if (found === undefined || found.version !== of("price_version") || usage === undefined) {
    return "charge";
  }
  const price = unitPrice(found.list, String(of("model_name")), String(of("group")));
  const due = price === undefined ? undefined : charge(price, usage);
  return due === quota + Number(of("write_off")) ? null : "charge";
}
