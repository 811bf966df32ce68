import { expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { openSecrets } from "#base/secrets.ts";
import type { Notice, Outbound } from "#modules/notifications/notifications.ts";
import type { Receiver } from "#modules/notifications/receivers.repo.ts";
import { openSendNotice } from "#modules/notifications/send-notice.ts";
import { sealSettings } from "#modules/notifications/settings.ts";

const secrets = openSecrets(randomBytes(32).toString("hex"));
const key = "a1-B2_c3";

const notice: Notice = {
  type: "quota_exceed",
  title: "您的额度即将用尽",
  content: "剩余 {{value}}。",
  values: ["7"],
};

function receiverBy(notify_type: string, owner: "dingtalk" | "wecom"): Receiver {
  return {
    user_id: 7,
    notify_type,
    email: "alice@example.com",
    language: "",
    settings: sealSettings(secrets, 7, { [owner]: { key } }),
  };
}

/**
 * Sends a notice through a robot that answers `answer`. The returned `sent` contains the requests
 * that the robot received.
 */
async function send(
  receiver: Receiver,
  answer: Awaited<ReturnType<Outbound>>,
  told: Notice = notice,
) {
  const sent: Parameters<Outbound>[0][] = [];
  const sendNotice = openSendNotice({
    mail: { isSetUp: () => true, send: () => Promise.reject(new Error("a letter")) },
    outbound: async (request) => {
      sent.push(request);
      return answer;
    },
    secrets,
    systemName: () => "Gate",
    now: () => 0,
  });
  return { sent, result: await sendNotice(receiver, told) };
}

const taken = { ok: true, text: '{"errcode":0,"errmsg":"ok"}' } as const;

test("A-036, A-037: each robot is posted its text by its key, beginning with the system's name", async () => {
  const addresses = {
    dingtalk: `https://oapi.dingtalk.com/robot/send?access_token=${key}`,
    wecom: `https://qyapi.weixin.qq.com/cgi-bin/webhook/send?key=${key}`,
  };
  for (const robot of ["dingtalk", "wecom"] as const) {
    const { sent, result } = await send(receiverBy(robot, robot), taken);
    expect(result.ok).toBe(true);
    expect(sent).toMatchObject([{ method: "POST", url: addresses[robot] }]);
    expect(JSON.parse(sent[0]?.body ?? "")).toEqual({
      msgtype: "text",
      text: { content: "Gate：您的额度即将用尽\n剩余 7。" },
    });
  }
});

test("A-036: a robot's refusal with status 200 counts as a failure", async () => {
  const no = [
    ['{"errcode":310000,"errmsg":"keywords not in content"}', "dingtalk-310000"],
    ['{"errcode":-1}', "dingtalk--1"],
    ["<html>please sign in</html>", "dingtalk-unreadable"],
    ["{}", "dingtalk-unreadable"],
  ] as const;
  for (const [text, reason] of no) {
    const { result } = await send(receiverBy("dingtalk", "dingtalk"), { ok: true, text });
    expect(result).toMatchObject({ ok: false, reason });
  }
  const away = { ok: false, reason: "connection-failed" } as const;
  expect((await send(receiverBy("wecom", "wecom"), away)).result).toEqual(away);
});

test("A-037: a robot's key is never sent to another robot", async () => {
  for (const [way, owner] of [
    ["dingtalk", "wecom"],
    ["wecom", "dingtalk"],
  ] as const) {
    const { sent, result } = await send(receiverBy(way, owner), taken);
    expect(sent).toEqual([]);
    expect(result).toMatchObject({ ok: false, reason: "no-robot-key" });
  }
  // Settings that were sealed for another user cannot be opened, so the robot's key is missing.
  const { sent, result } = await send({ ...receiverBy("wecom", "wecom"), user_id: 8 }, taken);
  expect(sent).toEqual([]);
  expect(result).toMatchObject({ ok: false, reason: "no-robot-key" });
});

test("a text longer than the robot's limit is cut between two characters", async () => {
  const told = { ...notice, content: "{{value}}", values: [`x${"长".repeat(1_000)}`] };
  const { sent } = await send(receiverBy("wecom", "wecom"), taken, told);
  const { content } = JSON.parse(sent[0]?.body ?? "").text;
  expect(Buffer.byteLength(content)).toBeLessThanOrEqual(2_048);
  expect(Buffer.byteLength(content)).toBeGreaterThan(2_040);
  expect(content).toMatch(/^Gate：您的额度即将用尽\nx长+…$/);
});
