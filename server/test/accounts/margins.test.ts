import { afterEach, describe, expect, test } from "bun:test";
import { charge, noUsage, unitPrice } from "@tollgate/contract/money/charge.ts";
import { defaultPriceList } from "@tollgate/contract/money/default-prices.ts";
import type { MarginKind } from "@tollgate/contract/endpoints/margins.ts";
import { seededRandom } from "#base/testing/random.ts";
import { testDialects } from "#db/testing/database.ts";
import { proveLedger } from "#modules/proof/proof.ts";
import { closeTestBooks, openTestBooks, setUpMs } from "#modules/ledger/testing/books.ts";
import { chargedLog } from "#modules/ledger/testing/calls.ts";
import { refundCharge } from "#modules/ledger/ledger.ts";
import { insertLog, markRefunded, raiseLogWatermark } from "#modules/logs/logs.ts";
import { makeTotals } from "#modules/logs/testing/totals.ts";
import type { ChannelLoss } from "#modules/notifications/notifications.ts";
import { bindStore } from "#db/store.ts";
import { tellLosses } from "#modules/costs/below-cost-job.ts";
import { costStore } from "#modules/costs/costs.store.ts";
import { type MarginFilter, pageLosses, pageMargins } from "#modules/costs/margins.repo.ts";

afterEach(closeTestBooks);

const start = Math.floor(setUpMs / 3_600_000) * 3_600;
const hours = 30;
const all: MarginFilter = {
  start,
  end: start + hours * 3_600,
  modelName: "",
  group: "",
  username: "",
  channel: 0,
  below: false,
};
const window = { page: 1, page_size: 100 };

const models = ["gpt-4o", "gpt-4o-mini", "o3"];

type Call = {
  readonly id: string;
  readonly model: string;
  readonly channel: number;
  readonly user: number;
  readonly group: string;
  readonly quota: number;
  readonly cost: number | null;
};

/** Makes random calls, of which some are given back and some tasks fail. */
async function openCalls(dialect: (typeof testDialects)[number]) {
  const books = await openTestBooks(dialect);
  const { below, pick } = seededRandom(733);
  for (const name of ["ann", "ben"]) await books.addUser(name, 50_000_000);
  const lists = new Map([
    [5, await books.addCosts(5, { "gpt-4o": { tokens: { input: "9", output: "3" } } })],
    [6, await books.addCosts(6, { o3: { perCall: "0.0003" }, "gpt-4o": { perCall: "0.001" } })],
  ]);
  const calls: Call[] = [];
  for (let index = 0; index < 120; index += 1) {
    const model = pick(models);
    const channel = pick([5, 6, 7]);
    const user = pick([1, 2]);
    const usage = { ...noUsage, input: below(900), output: pick([0, 7, 90]) };
    const price = unitPrice(defaultPriceList, model, "default");
    const cost = lists.get(channel)?.priceOf(model);
    if (price === undefined) throw new Error(`${model} has no price`);
    const quota = charge(price, usage);
    const log = chargedLog({
      requestId: `c${index}`,
      createdAt: start + below(hours * 3_600),
      userId: user,
      tokenId: 0,
      username: user === 1 ? "ann" : "ben",
      tried: [channel],
      modelName: model,
      usage,
      cost: cost === undefined ? null : charge(cost, usage),
      costVersion: lists.get(channel)?.version ?? 0,
    });
    const id = log.requestId;
    const of = { type: "settle", id, tokenLimited: false, charge: quota, charged: null } as const;
    await books.apply([{ ...of, log }]);
    const call = { id, model, channel, user, group: "default", quota, cost: log.cost };
    // An answer that was withheld is no call any more; a task that failed cost nothing.
    if (index % 17 === 3) {
      const back = { type: "reverse", id, tokenLimited: false, charge: quota, atMs: setUpMs };
      await books.apply([{ ...back, type: "reverse", log }]);
    } else if (index % 13 === 5 && quota > 0) {
      await books.db.transaction().execute(async (tx) => {
        const refund = await refundCharge(tx, {
          requestId: id,
          userId: user,
          tokenId: 0,
          tokenLimited: false,
          modelName: model,
          group: "default",
          detail: "failed",
          nowMs: setUpMs,
        });
        if (refund === undefined) return;
        await markRefunded(tx, refund.logId, refund.amount);
        const content = `任务失败 ${id}，退回额度 ${refund.amount}`;
        const note = { type: 4, userId: user, content, quota: refund.amount } as const;
        await insertLog(tx, { ...note, channelId: channel, nowMs: setUpMs });
      });
      calls.push({ ...call, quota: 0, cost: call.cost === null ? null : 0 });
    } else calls.push(call);
  }
  return { books, calls };
}

function sumOf(calls: readonly Call[]) {
  const costed = calls.filter(({ cost }) => cost !== null);
  return {
    quota: calls.reduce((sum, { quota }) => sum + quota, 0),
    calls: calls.length,
    cost: costed.reduce((sum, { cost }) => sum + (cost ?? 0), 0),
    costed_quota: costed.reduce((sum, { quota }) => sum + quota, 0),
    costed_calls: costed.length,
  };
}

const keys: Readonly<Record<MarginKind, (call: Call) => number | string>> = {
  models: ({ model }) => model,
  channels: ({ channel }) => channel,
  users: ({ user }) => user,
  groups: ({ group }) => group,
};

for (const dialect of testDialects) {
  describe(`margins on ${dialect}`, () => {
    test("rows, roll-ups and what is shown sum to the same unit, with totals and after a cleaning", async () => {
      const { books, calls } = await openCalls(dialect);
      const { db } = books;
      const check = async () => {
        expect((await proveLedger(db)).flaw).toBeNull();
        for (const kind of ["models", "channels", "users", "groups"] as const) {
          const shown = await pageMargins(db, kind, all, window);
          expect(shown.totals).toEqual(sumOf(calls));
          const groups = Map.groupBy(calls, keys[kind]);
          expect(shown.items).toHaveLength(groups.size);
          for (const { id, name, ...sums } of shown.items) {
            const key = kind === "models" || kind === "groups" ? name : id;
            expect([kind, key, sums]).toEqual([kind, key, sumOf(groups.get(key) ?? [])]);
          }
          const below = await pageMargins(db, kind, { ...all, below: true }, window);
          expect(below.items.every(({ cost, costed_quota }) => cost > costed_quota)).toBe(true);
          expect(below.totals).toEqual(sumOf(calls));
        }
        const ofUser = await pageMargins(db, "models", { ...all, username: "ann" }, window);
        expect(ofUser.totals).toEqual(sumOf(calls.filter(({ user }) => user === 1)));
        const ofChannel = await pageMargins(db, "models", { ...all, channel: 6 }, window);
        expect(ofChannel.totals).toEqual(sumOf(calls.filter(({ channel }) => channel === 6)));
      };
      await check();
      const losses = await pageLosses(db, all, window);
      const lost = calls.filter(({ cost, quota }) => cost !== null && cost > quota);
      expect(losses.total).toBe(lost.length);
      expect(losses.items.map(({ request_id }) => request_id).toSorted()).toEqual(
        lost.map(({ id }) => id).toSorted(),
      );
      expect(lost.length).toBeGreaterThan(3);

      const told: ChannelLoss[] = [];
      const tell = async (threshold: number) => {
        told.length = 0;
        await tellLosses({
          store: bindStore(costStore, db),
          notices: { belowCost: async (loss) => void told.push(loss) },
          prices: () => defaultPriceList,
          threshold: () => threshold,
          now: () => (start + hours * 3_600 - 1) * 1_000,
        });
      };
      await tell(0);
      expect(told).toEqual([]);
      await tell(0.000002);
      const lastDay = { ...all, start: all.end - 86_400, below: true };
      const losing = await pageMargins(db, "models", { ...lastDay, channel: 5 }, window);
      const [worst] = losing.items;
      expect(told.find(({ channelId }) => channelId === 5)).toEqual({
        channelId: 5,
        name: "",
        model: worst?.name ?? "",
        charged: worst?.costed_quota ?? -1,
        cost: worst?.cost ?? -1,
      });
      await tell(1_000);
      expect(told).toEqual([]);

      await makeTotals(db, start + 10 * 86_400);
      await check();
      const last = await db
        .selectFrom("logs")
        .select((eb) => eb.fn.max<number>("id").as("id"))
        .executeTakeFirstOrThrow();
      await db.transaction().execute(async (tx) => {
        await raiseLogWatermark(tx, last.id);
        await tx.deleteFrom("logs").execute();
      });
      await check();
    });
  });
}
