import { afterEach, expect, test } from "bun:test";
import { bindStore } from "#db/store.ts";
import { openTestDatabase, testDialects } from "#db/testing/database.ts";
import { channelJobs } from "./channel-jobs.ts";
import { channelStore } from "./channels.store.ts";

let opened: Awaited<ReturnType<typeof openTestDatabase>> | undefined;
afterEach(async () => {
  await opened?.close();
  opened = undefined;
});

test("O-202: channels are tested and balances read as often as the options say, or never", async () => {
  const now = 1_800_000_000;
  const asked: [string, number][] = [];
  const minutes = { ChannelTestMinutes: 0, ChannelBalanceMinutes: 0 };
  const jobs = channelJobs({
    tester: { startDue: (before) => void asked.push(["tests", before]) },
    balances: { startDue: (before) => void asked.push(["balances", before]) },
    claimDue: async () => true,
    minutesOf: (option) => minutes[option],
    now: () => now * 1_000,
  });
  const look = async () => {
    for (const job of jobs) await job.run();
  };
  await look();
  expect(asked).toEqual([]);
  minutes.ChannelTestMinutes = 10;
  minutes.ChannelBalanceMinutes = 60;
  await look();
  expect(asked).toEqual([
    ["tests", now - 570],
    ["balances", now - 3_570],
  ]);
});

for (const dialect of testDialects) {
  test(`on ${dialect} a scheduled round runs once an interval, however many nodes look`, async () => {
    opened = await openTestDatabase(dialect);
    const { db } = opened;
    const store = bindStore(channelStore, db);
    const claim = async () => await store.claimDue("balances", 60_000);
    const looks = [await claim(), await claim(), await claim()];
    if (dialect === "postgres") looks.push(...(await Promise.all([claim(), claim(), claim()])));
    expect(looks.filter(Boolean)).toHaveLength(1);
    // Rounds of another kind are claimed by themselves.
    expect(await store.claimDue("tests", 60_000)).toBe(true);
    const aMinuteAgo = ({ begun_at }: { readonly begun_at: number }) => begun_at - 60_000;
    const row = await db.selectFrom("round_times").selectAll().executeTakeFirstOrThrow();
    await db
      .updateTable("round_times")
      .set({ begun_at: aMinuteAgo(row) })
      .execute();
    expect([await claim(), await claim()]).toEqual([true, false]);
  });
}
