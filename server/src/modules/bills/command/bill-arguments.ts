/** The command line of `tollgate bill`. */

import {
  billColumn,
  billKind,
  type BillQuestion,
  billQuestion,
} from "@tollgate/contract/endpoints/bills.ts";

export type BillArguments = { readonly file: string; readonly question: BillQuestion };

/** Reads the arguments of the command; undefined: they are not right. */
export function readBillArguments(args: readonly string[]): BillArguments | undefined {
  const [kind, file, ...flags] = args;
  if (!billKind.safeParse(kind).success || file === undefined || file.startsWith("--")) {
    return undefined;
  }
  const columns: Record<string, string> = {};
  const keys: Record<string, number> = {};
  const sent: Record<string, unknown> = { kind, columns, keys };
  for (let at = 0; at < flags.length; at += 2) {
    const [flag = "", value] = [flags[at], flags[at + 1]];
    if (value === undefined) return undefined;
    const cut = value.lastIndexOf("=");
    const [name, of] = [value.slice(0, Math.max(cut, 0)), value.slice(cut + 1)];
    switch (flag) {
      case "--zone":
        sent["zone"] = value;
        break;
      case "--places":
        sent["places"] = Number(value);
        break;
      case "--tolerance":
        sent["tolerance"] = Number(value);
        break;
      case "--channels":
        sent["channels"] = value.split(",").map(Number);
        break;
      case "--column":
        if (!billColumn.safeParse(name).success) return undefined;
        columns[name] = of;
        break;
      case "--key":
        keys[name] = Number(of);
        break;
      default:
        return undefined;
    }
  }
  const question = billQuestion.safeParse(sent);
  return question.success ? { file, question: question.data } : undefined;
}
