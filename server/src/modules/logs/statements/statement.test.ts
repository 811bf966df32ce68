import { afterAll, describe, expect, test } from "bun:test";
import { checkStatement, lineHash } from "@tollgate/contract/money/statement-check.ts";
import { receiptNames, type StatementFile } from "@tollgate/contract/endpoints/statements.ts";
import type { Db } from "#db/database.ts";
import { testDialects } from "#db/testing/database.ts";
import { closeTestBooks } from "#modules/ledger/testing/books.ts";
import { openTestHistory } from "#modules/ledger/testing/history.ts";
import { ownerColumns } from "#modules/logs/log-hash.ts";
import { readStatement } from "./statement.repo.ts";

/** Reads the whole statement of a user, as the console puts it together of its parts. */
async function statementOf(db: Db, userId: number): Promise<StatementFile> {
  const asked = { userId, start: 0, end: 9_000_000_000, after: 0, previous: "" };
  const { more, ...file } = await readStatement(db, asked);
  expect(more).toBe(false);
  return file;
}

const namesOf = (text: string) =>
  checkStatement(text)?.faults.map(({ seq, fault }) => [seq, fault] as const);

test("a receipt has the values of the owner's digest, in its order", () => {
  expect([...receiptNames]).toEqual(["id", ...ownerColumns, "other"]);
});

for (const dialect of testDialects) {
  describe(`the statement of a balance on ${dialect}`, () => {
    afterAll(closeTestBooks);

    test("it is checked without the gateway, and what has no receipt says so", async () => {
      const { db } = await openTestHistory(dialect);
      for (const userId of [1, 2, 3]) {
        const file = await statementOf(db, userId);
        const check = checkStatement(JSON.stringify(file));
        expect(check?.faults).toEqual([]);
        const charges = file.lines.filter(({ kind }) => kind === "settle").length;
        expect(check?.proven).toBeGreaterThan(0);
        expect(Number(check?.proven) + Number(check?.auditOnly)).toBe(charges);
        expect(check?.head).toBe(file.lines.at(-1)?.hash ?? "no lines");
        const balance = await db
          .selectFrom("balances")
          .select(["balance", "entry_count"])
          .where("user_id", "=", userId)
          .executeTakeFirst();
        expect(file.lines).toHaveLength(balance?.entry_count ?? 0);
        expect(file.lines.at(-1)?.balance_after).toBe(balance?.balance ?? -1);
      }
    });

    test("a part goes on where the one before ended, with one chain", async () => {
      const { db } = await openTestHistory(dialect);
      const { lines } = await statementOf(db, 1);
      const third = lines[2];
      const asked = { userId: 1, start: 0, end: 9_000_000_000 };
      const rest = await readStatement(db, { ...asked, after: 3, previous: third?.hash ?? "" });
      expect(rest.lines.map(({ hash }) => hash)).toEqual(lines.slice(3).map(({ hash }) => hash));
    });

    test("a changed digit names its line, wherever it stands", async () => {
      const { db } = await openTestHistory(dialect);
      const file = await statementOf(db, 1);
      const changed = (at: number, change: (line: StatementFile["lines"][number]) => void) => {
        const copy = structuredClone(file);
        const line = copy.lines[at];
        if (line !== undefined) change(line);
        return JSON.stringify(copy);
      };
      for (const [at, { seq, receipt }] of file.lines.entries()) {
        const faults = [
          changed(at, (line) => (line.amount += 1)),
          changed(at, (line) => (line.balance_after += 1)),
          changed(at, (line) => (line.created_at += 1)),
        ].map(namesOf);
        for (const found of faults) expect(found?.map(([named]) => named)).toContain(seq);
        if (receipt === null) continue;
        for (const place of receiptNames.keys()) {
          const text = changed(at, (line) => {
            const value = receipt.values[place] ?? 0;
            const other = typeof value === "number" ? value + 1 : `${value}1`;
            line.receipt?.values.splice(place, 1, other);
          });
          expect(namesOf(text)).toEqual([[seq, "receipt"]]);
        }
      }
    });

    test("a line that was taken out or hashed anew is noticed, and so is another price", async () => {
      const { db } = await openTestHistory(dialect);
      const file = await statementOf(db, 1);
      const without = { ...file, lines: file.lines.toSpliced(1, 1) };
      expect(namesOf(JSON.stringify(without))?.[0]).toEqual([3, "order"]);

      const forged = structuredClone(file);
      const at = forged.lines.findIndex(({ receipt, amount }) => receipt !== null && amount < 0);
      let previous = forged.lines[at - 1]?.hash ?? "";
      for (const [place, line] of forged.lines.entries()) {
        if (place < at) continue;
        if (place === at) line.amount += 1;
        previous = line.hash = lineHash(previous, line);
      }
      const seq = Number(file.lines[at]?.seq);
      expect(namesOf(JSON.stringify(forged))?.[0]).toEqual([seq, "amount"]);

      const dearer = structuredClone(file);
      for (const { list } of dearer.prices) list.GroupRatio["default"] = "7";
      expect(namesOf(JSON.stringify(dearer))?.every(([, fault]) => fault === "charge")).toBe(true);
      expect(checkStatement("{}")).toBeUndefined();
      expect(checkStatement("")).toBeUndefined();
    });

    test("it tells nothing of what root alone sees", async () => {
      const { db } = await openTestHistory(dialect);
      const text = JSON.stringify(await statementOf(db, 1));
      expect(text).not.toContain("use_channel");
      expect(text).not.toContain("salt");
      const rows = await db.selectFrom("logs").select(["salt"]).where("salt", "<>", "").execute();
      expect(rows.length).toBeGreaterThan(0);
      for (const { salt } of rows) expect(text).not.toContain(salt);
    });
  });
}
