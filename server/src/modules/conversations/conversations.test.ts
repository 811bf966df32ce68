import { describe, expect, test } from "bun:test";
import {
  createConversationLink,
  listConversationLinks,
  readConversation,
  readSharedConversation,
  removeConversationLink,
  turnsListedMax,
} from "@tollgate/contract/endpoints/conversations.ts";
import type { Endpoint } from "@tollgate/contract/endpoints/endpoint.ts";
import { noUsage } from "@tollgate/contract/money/charge.ts";
import { sql } from "kysely";
import { openSecrets } from "#base/secrets.ts";
import { systemRandom } from "#base/random.ts";
import { openRateLimits } from "#base/rate-limit.ts";
import type { Dialect } from "#db/dialect.ts";
import { bindStore } from "#db/store.ts";
import { testDialects } from "#db/testing/database.ts";
import type { Caller } from "#http/handler.ts";
import { admin, alice, call, hour, now, openLogs } from "#modules/logs/testing/logs.ts";
import { insertCallLogs } from "#modules/logs/logs.ts";
import { conversationHandlers } from "./conversations.handlers.ts";
import { conversationStore } from "./conversations.store.ts";

const bob: Caller = { ...alice, userId: 8, username: "bob" };
const talk = 4_004;

async function open(dialect: Dialect) {
  const { db, close } = await openLogs(dialect);
  const clock = { ms: now * 1_000 };
  const handlers = conversationHandlers({
    store: bindStore(conversationStore, db),
    secrets: openSecrets("0123456789abcdef".repeat(4)),
    random: systemRandom,
    limits: openRateLimits({ now: () => clock.ms }),
    now: () => clock.ms,
  });
  const ask = async (endpoint: Endpoint, input: object, caller: Caller) =>
    await handlers.find((handler) => handler.endpoint === endpoint)?.run(input, caller);
  return { db, close, clock, ask };
}

const turn = (at: number, given: object = {}) => ({
  ...call,
  request_id: `t${at}`,
  created_at: now - hour + at * 10,
  use_time: 4,
  conversation_id: talk,
  placement: "stayed",
  prompt_tokens: 100,
  completion_tokens: 10,
  quota: 50,
  usage: JSON.stringify({ ...noUsage, input: 20, cacheRead: 80, output: 10 }),
  other: JSON.stringify({
    frt: 640,
    model_price: -1,
    model_ratio: 2,
    group_ratio: 1,
    cache_ratio: 0.1,
    cache_tokens: 80,
    admin_info: { use_channel: ["3"] },
  }),
  ...given,
});

for (const dialect of testDialects) {
  describe(`conversations on ${dialect}`, () => {
    test("a conversation has the sums of its turns, and only its owner and administrators read it", async () => {
      const { db, close, ask } = await open(dialect);
      await insertCallLogs(db, [
        turn(1, { placement: "first" }),
        turn(2, { moved_quota: 7, placement: "moved failed", tool_names: '["Bash"]' }),
        turn(3, { type: 5, quota: 0, usage: "", prompt_tokens: 0, content: "broken" }),
        turn(4, { conversation_id: 8 }),
        turn(5, { conversation_id: 0 }),
      ]);
      await db.updateTable("logs").set({ refunded: 5 }).where("request_id", "=", "t2").execute();
      const told = await ask(readConversation, { id: talk }, alice);
      expect(told).toMatchObject({
        conversation_id: talk,
        username: "",
        is_cut: false,
        sums: {
          calls: 3,
          failures: 1,
          quota: 95,
          prompt_tokens: 200,
          cached_tokens: 160,
          completion_tokens: 30,
          saved_quota: 3 * 144,
          moved_quota: 7,
          first_at: now - hour + 6,
          last_at: now - hour + 30,
        },
        turns: [
          {
            request_id: "t1",
            tools: ["Bash"],
            failed: false,
            channel: 0,
            channel_name: "",
            first_byte_ms: 640,
          },
          { request_id: "t2", moved_quota: 7, quota: 45, seconds: 4 },
          { request_id: "t3", failed: true, error: "broken" },
        ],
      });
      const seen = await ask(readConversation, { id: talk }, admin);
      expect(seen).toMatchObject({ username: "alice", turns: [{ channel: 3 }, {}, {}] });
      for (const id of [talk, 99]) {
        await expect(ask(readConversation, { id }, bob)).rejects.toThrow("对话不存在");
      }
      await close();
    });

    test("of more turns than are listed the newest are, and all are summed", async () => {
      const { db, close, ask } = await open(dialect);
      const count = turnsListedMax + 20;
      await insertCallLogs(
        db,
        Array.from({ length: count }, (_, at) => turn(at)),
      );
      const told = await ask(readConversation, { id: talk }, alice);
      expect(told).toMatchObject({ sums: { calls: count, quota: 50 * count } });
      // Safe cast: the contract of the endpoint.
      const { turns } = told as { turns: { request_id: string }[] };
      expect([turns.length, turns[0]?.request_id]).toEqual([turnsListedMax, "t20"]);
      await close();
    });

    test("a link shows figures alone, until it expires or is revoked, and not once its maker may not sign in", async () => {
      const { db, close, clock, ask } = await open(dialect);
      await insertCallLogs(db, [turn(1, { content: "words" }), turn(2)]);
      const make = async () =>
        // Safe cast: the contract of the endpoint.
        (await ask(createConversationLink, { id: talk, days: 1 }, alice)) as {
          id: number;
          secret: string;
        };
      const show = async (secret: string) => await ask(readSharedConversation, { secret }, bob);
      await expect(ask(createConversationLink, { id: talk, days: 1 }, bob)).rejects.toThrow();
      const made = await make();
      const shown = JSON.stringify(await show(made.secret));
      expect(shown).toContain('"cached_tokens":80');
      for (const hidden of ["alice", "t1", "laptop", "words", "channel", '"id"', "4004"]) {
        expect(shown).not.toContain(hidden);
      }
      const kept = await db.selectFrom("conversation_links").selectAll().execute();
      expect(JSON.stringify(kept)).not.toContain(made.secret);
      await expect(show("")).rejects.toThrow();
      await expect(ask(removeConversationLink, { id: made.id }, bob)).rejects.toThrow();
      expect(await ask(listConversationLinks, { id: talk }, bob)).toEqual([]);
      expect(await ask(listConversationLinks, { id: talk }, alice)).toHaveLength(1);
      await ask(removeConversationLink, { id: made.id }, alice);
      await expect(show(made.secret)).rejects.toThrow("链接不存在或已过期");

      const late = await make();
      clock.ms += 86_400_000;
      await expect(show(late.secret)).rejects.toThrow();
      expect(await ask(listConversationLinks, { id: talk }, alice)).toEqual([]);
      const last = await make();
      expect(await db.selectFrom("conversation_links").select("id").execute()).toHaveLength(1);
      await db.updateTable("users").set({ status: 2 }).where("id", "=", 7).execute();
      await expect(show(last.secret)).rejects.toThrow();
      const noted = await db.selectFrom("audit_log").select("action").orderBy("id").execute();
      expect(noted.map(({ action }) => action)).toEqual([
        "conversation.share",
        "conversation.unshare",
        "conversation.share",
        "conversation.share",
      ]);
      await close();
    });

    test("the turns of a conversation are found by their index, however long the log is", async () => {
      const { db, close } = await open(dialect);
      await insertCallLogs(
        db,
        Array.from({ length: 500 }, (_, at) =>
          turn(at, { conversation_id: at % 5 === 0 ? 0 : at * 4 }),
        ),
      );
      const asked = sql`select id from logs
        where conversation_id = 44 and conversation_id <> 0 order by created_at desc`;
      const explained =
        dialect === "sqlite" ? sql`explain query plan ${asked}` : sql`explain ${asked}`;
      const plan = JSON.stringify((await explained.execute(db)).rows);
      expect(plan).toContain("logs_conversation_id");
      await close();
    });
  });
}
