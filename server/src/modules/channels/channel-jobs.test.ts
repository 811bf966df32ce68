import { expect, test } from "bun:test";
import { channelJobs } from "./channel-jobs.ts";

test("O-202: channels are tested and balances read as often as the options say, or never", async () => {
  const now = 1_800_000_000;
  const asked: [string, number][] = [];
  const minutes = { ChannelTestMinutes: 0, ChannelBalanceMinutes: 0 };
  const jobs = channelJobs({
    tester: { startDue: (before) => void asked.push(["tests", before]) },
    balances: { startDue: (before) => void asked.push(["balances", before]) },
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
