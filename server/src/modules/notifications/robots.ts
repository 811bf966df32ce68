/**
 * Robots of group chats: they say in their group what is posted to them. Sources:
 * https://open.dingtalk.com/document/robots/custom-robot-access and
 * https://developer.work.weixin.qq.com/document/path/91770, as quoted by others, 2026-11-22.
 */

import type { RobotType } from "@tollgate/contract/notifications.ts";
import { z } from "zod";
import type { Outbound } from "./notifications.ts";

/** The key follows: letters, digits, `-` and `_`. */
const addresses: Readonly<Record<RobotType, string>> = {
  dingtalk: "https://oapi.dingtalk.com/robot/send?access_token=",
  wecom: "https://qyapi.weixin.qq.com/cgi-bin/webhook/send?key=",
};

/** Longest text WeCom takes, in bytes of UTF-8; DingTalk takes more. */
const textBytesMax = 2_048;

/** A refusal is a 200 as well. */
const answer = z.object({ errcode: z.number().int() });

export async function sendByRobot(
  outbound: Outbound,
  robot: RobotType,
  { key, text }: { readonly key: string; readonly text: string },
): ReturnType<Outbound> {
  const sent = await outbound({
    method: "POST",
    url: addresses[robot] + key,
    headers: { "content-type": "application/json; charset=utf-8" },
    body: JSON.stringify({ msgtype: "text", text: { content: cut(text) } }),
  });
  if (!sent.ok) return sent;
  const errcode = readErrcode(sent.text);
  return errcode === 0 ? sent : { ok: false, reason: `${robot}-${errcode ?? "unreadable"}` };
}

function readErrcode(text: string): number | undefined {
  try {
    return answer.parse(JSON.parse(text)).errcode;
  } catch {
    return undefined;
  }
}

function cut(text: string): string {
  const bytes = new TextEncoder().encode(text);
  if (bytes.length <= textBytesMax) return text;
  const ending = "…";
  const room = textBytesMax - new TextEncoder().encode(ending).length;
  const kept = new TextDecoder().decode(bytes.subarray(0, room));
  // The last character may have been cut through.
  return kept.replace(/\uFFFD+$/, "") + ending;
}
