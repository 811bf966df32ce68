/**
 * The command `tollgate bill`: lays the usage file of an upstream beside the ledger, and prints sums
 * and findings as CSV. It only reads, also beside a running gateway.
 */

import type { BillResult, BillSums } from "@tollgate/contract/endpoints/bills.ts";
import { existsSync, readFileSync } from "node:fs";
import { Refusal } from "#base/refusal.ts";
import { type DatabaseAddress, openDatabase } from "#db/connection.ts";
import { requireSchema } from "#db/migrator.ts";
import { openErrorTexts } from "#http/error-texts.ts";
import { compareText } from "#modules/bills/bills.store.ts";
import type { BillArguments } from "./bill-arguments.ts";

type BillDeps = {
  /** Prints what was asked for. */
  readonly print: (text: string) => void;
  /** Tells the operator something besides. */
  readonly tell: (line: string) => void;
};

/** Runs the command. @returns the exit code: 3 if there is a gap. */
export async function runBill(
  address: DatabaseAddress,
  { file, question }: BillArguments,
  { print, tell }: BillDeps,
): Promise<number> {
  const words = openErrorTexts({ language: () => "en", showQuota: String });
  if (!existsSync(file)) {
    tell(`There is no file ${file}.`);
    return 1;
  }
  if (address.dialect === "sqlite" && !existsSync(address.file)) {
    tell(`There is no database at ${address.file}. Set TOLLGATE_DATA_DIR to the data folder.`);
    return 1;
  }
  const { db, dialect, close } = openDatabase(address, "reader");
  try {
    await requireSchema(db, dialect);
    const result = await compareText(db, readFileSync(file, "utf8"), question);
    print(result.csv);
    for (const { line, message } of result.faults) tell(`line ${line}: ${words(message, null)}`);
    tell(`${result.lines} lines, ${result.calls} calls; days in ${result.zone}.`);
    tell(`bill: ${sumsOf(result.bill)}`);
    tell(`here: ${sumsOf(result.here)}`);
    tell(`${result.findings_total} findings.`);
    return hasGap(result) ? gapCode : 0;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    tell(words(error.message, null));
    return 1;
  } finally {
    await close();
  }
}

/** The exit code of a bill that does not fit. */
const gapCode = 3;

function hasGap({ bill, here, findings_total: found, faults_total: faults }: BillResult): boolean {
  const isEven = bill.input === here.input && bill.output === here.output;
  return !isEven || found > 0 || faults > 0;
}

function sumsOf({ calls, input, output, dollars }: BillSums): string {
  const money = dollars === null ? "" : `, ${dollars} dollars`;
  return `${calls ?? "?"} calls, ${input} tokens of input, ${output} of output${money}`;
}
