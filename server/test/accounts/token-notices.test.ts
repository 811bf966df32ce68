import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { openLogger } from "#base/logger.ts";
import { bindStore } from "#db/store.ts";
import { testDialects } from "#db/testing/database.ts";
import type { Notice } from "#modules/notifications/notifications.ts";
import { notificationStore } from "#modules/notifications/notifications.store.ts";
import { lostMs } from "#modules/notifications/broadcasts.repo.ts";
import { openBudgetWarnings, openTokenNotices } from "#modules/notifications/token-notices.ts";
import { type Client, openTestConsole, type TestConsole } from "./open-console.ts";

for (const dialect of testDialects) {
  describe(`notices about tokens on ${dialect}`, () => {
    let gateway: TestConsole;
    let alice: Client;
    const sent: { to: number; type: Notice["type"]; values: readonly string[] }[] = [];
    beforeAll(async () => {
      gateway = await openTestConsole(dialect);
      await gateway.root();
      alice = await gateway.user("alice");
    });
    afterAll(async () => await gateway.close());

    const deps = () => ({
      store: bindStore(notificationStore, gateway.db),
      sendNotice: async (receiver: { user_id: number }, { type, values }: Notice) => {
        sent.push({ to: receiver.user_id, type, values });
        return { ok: true } as const;
      },
      showQuota: String,
      now: () => gateway.clock.nowMs,
      log: openLogger("silent"),
    });
    const create = async (body: object): Promise<{ id: number; user_id: number }> => {
      const answer = await alice.post("/api/token/", { name: "laptop", ...body });
      // Safe cast: the answer to creating a token is the token.
      return answer.body.data as { id: number; user_id: number };
    };

    test("a budget of which 80 % are spent is told to its owner, once in each window", async () => {
      const { id, user_id } = await create({ budget_day: 100, budget_week: 1_000 });
      const nowSeconds = Math.floor(gateway.clock.nowMs / 1_000);
      const window = {
        token_id: id,
        starts_at: nowSeconds - 60,
        ends_at: nowSeconds + 60,
        held: 0,
      };
      await gateway.db
        .insertInto("token_budgets")
        .values([
          { ...window, kind: "day", spent: 79 },
          { ...window, kind: "week", spent: 100 },
        ])
        .execute();
      const warn = openBudgetWarnings(deps());
      await warn();
      expect(sent).toEqual([]);

      await gateway.db
        .updateTable("token_budgets")
        .set({ spent: 80 })
        .where("kind", "=", "day")
        .execute();
      await warn();
      await warn();
      expect(sent).toMatchObject([{ to: user_id, type: "budget_low" }]);
      expect(sent[0]?.values.slice(1, 4)).toEqual(["laptop", "80", "100"]);
      sent.length = 0;
    });

    test("a node that dies among several warnings of budgets loses none of them", async () => {
      const names = ["first", "second", "third"];
      const nowSeconds = Math.floor(gateway.clock.nowMs / 1_000);
      for (const name of names) {
        const { id } = await create({ name, budget_day: 100 });
        const window = { starts_at: nowSeconds - 60, ends_at: nowSeconds + 86_400 };
        await gateway.db
          .insertInto("token_budgets")
          .values({ ...window, token_id: id, kind: "day", spent: 90, held: 0 })
          .execute();
      }
      const store = bindStore(notificationStore, gateway.db);
      const died = Promise.reject(new Error("the node died"));
      died.catch(() => {});
      const dying = { ...deps(), store: { ...store, finishBudgetWarning: async () => await died } };
      await expect(openBudgetWarnings(dying)()).rejects.toThrow("died");
      // The node died after the first one was sent, and before that was noted.
      expect(sent.map(({ values }) => values[0])).toEqual(["first"]);
      const warn = openBudgetWarnings(deps());
      await warn();
      expect(sent).toHaveLength(1);

      gateway.clock.nowMs += lostMs;
      await Promise.all([warn(), openBudgetWarnings(deps())()]);
      const timesOf = (name: string) => sent.filter(({ values }) => values[0] === name).length;
      expect(names.map(timesOf)).toEqual([2, 1, 1]);
      await warn();
      expect(sent).toHaveLength(4);
      sent.length = 0;
    });

    test("a warning of a budget that fails does not keep the others back", async () => {
      const nowSeconds = Math.floor(gateway.clock.nowMs / 1_000);
      for (const name of ["broken", "fine"]) {
        const { id } = await create({ name, budget_week: 10 });
        const window = { starts_at: nowSeconds - 60, ends_at: nowSeconds + 86_400 };
        await gateway.db
          .insertInto("token_budgets")
          .values({ ...window, token_id: id, kind: "week", spent: 10, held: 0 })
          .execute();
      }
      const { sendNotice } = deps();
      const failing: typeof sendNotice = async (receiver, notice) => {
        if (notice.values[0] === "broken") throw new Error("no way to send it");
        return await sendNotice(receiver, notice);
      };
      await openBudgetWarnings({ ...deps(), sendNotice: failing })();
      expect(sent.map(({ values }) => values[0])).toEqual(["fine"]);
      sent.length = 0;
    });

    test("P-M11: a frozen token is disabled and told to its owner and to root", async () => {
      const { id, user_id } = await create({ unlimited_quota: true });
      const overrun = { tokenId: id, requestId: "r-1", cost: 900_000, held: 10 };
      gateway.modules.tokens.face.freezeToken(overrun);
      for (let status = 1; status === 1;) {
        const { data } = (await alice.get(`/api/token/${id}`)).body;
        ({ status } = data as { status: number });
      }
      await openTokenNotices(deps()).tokenFrozen({ ...overrun, userId: user_id, name: "laptop" });
      expect(sent.map(({ type }) => type)).toEqual(["token_frozen", "token_frozen"]);
      expect(sent[0]?.to).toBe(user_id);
      const row = await gateway.db
        .selectFrom("audit_log")
        .select("detail")
        .where("action", "=", "token.freeze")
        .executeTakeFirstOrThrow();
      expect(JSON.parse(row.detail)).toMatchObject({ user_id, request_id: "r-1", cost: 900_000 });
    });
  });
}
