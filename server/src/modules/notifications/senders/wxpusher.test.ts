import { expect, test } from "bun:test";
import { noticeWays } from "@tollgate/contract/kinds/notice-ways.ts";
import { deliver } from "#modules/notifications/testing/deliver.ts";

const accepted = { ok: true, text: '{"code":1000,"msg":"ok","success":true}' } as const;

test("A-036: WxPusher is posted the notice as plain text, with the user's own token in the body", async () => {
  const { requests, result } = await deliver(
    "wxpusher",
    { token: "SPT_aB3" },
    { answer: accepted },
  );
  expect(result.ok).toBe(true);
  expect(requests.map(({ method, url }) => [method, url])).toEqual([
    ["POST", "https://wxpusher.zjiecode.com/api/send/message/simple-push"],
  ]);
  expect(JSON.parse(requests[0]?.body ?? "")).toEqual({
    spt: "SPT_aB3",
    contentType: 1,
    summary: "Gate：您的额度即将用尽",
    content: "Gate：您的额度即将用尽\n剩余 7。",
  });
});

test("A-036: a notice that WxPusher refuses, or answers with something else, was not delivered", async () => {
  for (const [text, shown] of [
    ['{"code":1001,"msg":"wrong token"}', "1001"],
    ["<html>", "unreadable"],
  ]) {
    const { result } = await deliver(
      "wxpusher",
      { token: "SPT_aB3" },
      { answer: { ok: true, text: text ?? "" } },
    );
    expect(result).toEqual({
      ok: false,
      reason: `wxpusher-${shown}`,
      message: `WxPusher 没有接受通知（${shown}），请检查令牌`,
    });
  }
});

test("A-037: only a personal token is accepted", () => {
  const { schema } = noticeWays.wxpusher.fields.token;
  expect(schema.safeParse("SPT_aB3").success).toBe(true);
  expect(schema.safeParse("AT_aB3").success).toBe(false);
});
