import { expect, test } from "bun:test";
import { openLogger } from "#base/logger.ts";
import { openRateLimits } from "#base/rate-limit.ts";
import { type ChannelNoticeDeps, openChannelNotices } from "./channel-notices.ts";
import type { Notice } from "./notifications.ts";
import type { Receiver } from "./receivers.repo.ts";

const root: Receiver = {
  user_id: 1,
  notify_type: null,
  email: "root@example.com",
  language: "",
  settings: null,
};
const change = { channelId: 3, name: "main", status: 3, reason: "401" } as const;

function open(findRootReceivers: ChannelNoticeDeps["store"]["findRootReceivers"]) {
  const clock = { nowMs: 0 };
  const sent: Notice["type"][] = [];
  const said: Notice[] = [];
  const notices = openChannelNotices({
    store: {
      findRootReceivers,
      claimNotice: async () => true,
      forgetNotice: async () => {},
    },
    now: () => clock.nowMs,
    sendNotice: async (_, notice) => {
      sent.push(notice.type);
      said.push(notice);
      return { ok: false, reason: "no-mail-server" };
    },
    limits: openRateLimits({ now: () => clock.nowMs }),
    showQuota: String,
    log: openLogger("silent"),
  });
  return { clock, sent, said, notices };
}

test("the end of a round is told at most twice in ten minutes", async () => {
  const { clock, sent, notices } = open(async () => [root]);
  for (let turn = 0; turn < 5; turn += 1) await notices.tested({ total: 2, failed: 1 });
  expect(sent).toEqual(["channel_test", "channel_test"]);

  clock.nowMs += 600_001;
  await notices.tested({ total: 2, failed: 1 });
  expect(sent).toHaveLength(3);
});

test("a failing notice does not keep a channel from being switched", async () => {
  const { sent, notices } = open(() => Promise.reject(new Error("the store is away")));
  await notices.switched(change);
  await notices.tested({ total: 2, failed: 1 });
  expect(sent).toEqual([]);
});

test("O-070: root is told once when all balances have been read", async () => {
  const { sent, said, notices } = open(async () => [root]);
  await notices.balancesRead({ total: 3, failed: 1 });
  expect(sent).toEqual(["channel_balances"]);
  expect(said.at(-1)?.values).toEqual(["3", "1"]);
});

test("the reason of a disabled channel comes in the receiver's language, quoting the upstream as it spoke", async () => {
  const receivers = ["en", "zh"].map((language, at) => ({ ...root, user_id: at + 1, language }));
  const { said, notices } = open(async () => receivers);
  const reasons: readonly (readonly [string, string])[] = [
    [
      "上游拒绝了该密钥 (401)：Incorrect API key",
      "The upstream refused this key (401): Incorrect API key",
    ],
    ["余额不足", "Insufficient balance"],
    ["响应时间 5.50s 超过阈值 5.00s", "The response took 5.50 s, more than the limit of 5.00 s"],
    ["by hand", "by hand"],
  ];
  for (const [at, [reason]] of reasons.entries()) {
    await notices.switched({ ...change, channelId: at + 1, reason });
  }
  expect(said.map(({ values }) => values.at(-1))).toEqual(
    reasons.flatMap(([chinese, english]) => [english, chinese]),
  );
});
