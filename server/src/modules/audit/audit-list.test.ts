import { describe, expect, test } from "bun:test";
import { type AuditRow, checkAudit, listAudit } from "@tollgate/contract/endpoints/audit.ts";
import type { Endpoint } from "@tollgate/contract/endpoints/endpoint.ts";
import type { Dialect } from "#db/dialect.ts";
import { bindStore } from "#db/store.ts";
import { openTestDatabase, testDialects } from "#db/testing/database.ts";
import type { Caller } from "#http/handler.ts";
import { auditHandlers } from "./audit.handlers.ts";
import { auditStore } from "./audit.store.ts";
import { appendAudit } from "./audit.ts";

const root: Caller = {
  userId: 1,
  role: 100,
  username: "root",
  clientIp: "203.0.113.9",
  sessionId: null,
  requestId: "r",
};

for (const dialect of testDialects) {
  describe(`the audit log's list on ${dialect}`, () => {
    test("P-S8: the list pages newest first and filters by actor, action, target and time", async () => {
      const { list, close } = await openLog(dialect);

      expect((await list({})).map(({ id }) => id)).toEqual([6, 5, 4, 3, 2, 1]);
      expect((await list({ page_size: "2", p: "2" })).map(({ id }) => id)).toEqual([4, 3]);
      const narrowed: readonly [object, readonly number[]][] = [
        [{ actor: "ada" }, [6, 4, 2]],
        [{ actor: "7" }, [6, 4, 2]],
        [{ actor: "ad" }, []],
        [{ action: "token." }, [6, 3]],
        [{ action: "token.reveal" }, [3]],
        [{ action: "%" }, []],
        [{ target: "user:4" }, [4]],
        [{ start_timestamp: "3" }, [6, 5, 4, 3]],
        [{ end_timestamp: "2" }, [2, 1]],
        [{ actor: "ada", start_timestamp: "3", end_timestamp: "5" }, [4]],
        [{ actor: "null", start_timestamp: "NaN" }, [6, 5, 4, 3, 2, 1]],
      ];
      for (const [filter, ids] of narrowed) {
        expect([filter, (await list(filter)).map(({ id }) => id)]).toEqual([filter, [...ids]]);
      }
      await close();
    });

    test("P-S8: a row that was changed, or whose predecessor was removed, is marked as not intact", async () => {
      const { db, call, list, close } = await openLog(dialect);
      expect((await list({})).every(({ intact }) => intact)).toBe(true);
      expect(await call(checkAudit, {})).toEqual({ intact: true, count: 6, broken_id: null });

      await db.updateTable("audit_log").set({ actor_name: "eve" }).where("id", "=", 5).execute();
      expect((await list({})).filter(({ intact }) => !intact).map(({ id }) => id)).toEqual([5]);
      await db.deleteFrom("audit_log").where("id", "=", 2).execute();
      expect((await list({})).filter(({ intact }) => !intact).map(({ id }) => id)).toEqual([5, 3]);
      expect(await call(checkAudit, {})).toEqual({ intact: false, count: 1, broken_id: 3 });
      await close();
    });
  });
}

/**
 * Opens a database with six audit entries, one second apart, made by bob (8) and ada (7) in turn.
 */
async function openLog(dialect: Dialect) {
  const { db, close } = await openTestDatabase(dialect);
  const actions = ["user.login", "user.update", "token.reveal", "user.manage", "x", "token.create"];
  for (const [index, action] of actions.entries()) {
    const isAda = index % 2 === 1;
    await db.transaction().execute(async (tx) => {
      await appendAudit(tx, {
        actor: {
          userId: isAda ? 7 : 8,
          username: isAda ? "ada" : "bob",
          clientIp: "203.0.113.9",
        },
        action,
        target: `user:${index + 1}`,
        nowMs: (index + 1) * 1_000,
      });
    });
  }
  const handlers = auditHandlers({ store: bindStore(auditStore, db) });
  const call = async (endpoint: Endpoint, input: object): Promise<unknown> =>
    await handlers.find((handler) => handler.endpoint === endpoint)?.run(input, root);
  const list = async (input: object): Promise<readonly AuditRow[]> =>
    listAudit.output.parse(await call(listAudit, input)).items;
  return { db, call, list, close };
}
