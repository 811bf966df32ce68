/** Sends to a user's own WeChat through WxPusher. */

import type { wxpusher } from "@tollgate/contract/kinds/wxpusher.ts";
import { z } from "zod";
import { parseForeign } from "#base/json.ts";
import { filledContent, type Sender } from "./sender.ts";

const address = "https://wxpusher.zjiecode.com/api/send/message/simple-push";

/** The longest summary that WxPusher accepts, in characters. */
const summaryMax = 100;

/** The answer. A refusal has status 200, too, but a code other than this one. */
const accepted = 1_000;
const answer = z.object({ code: z.number().int() });

export const sendByWxPusher: Sender<typeof wxpusher> = async (
  { token },
  { notice },
  { outbound, systemName },
) => {
  const title = `${systemName()}：${notice.title}`;
  const sent = await outbound({
    method: "POST",
    url: address,
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      spt: token,
      // 1: plain text.
      contentType: 1,
      summary: title.slice(0, summaryMax),
      content: `${title}\n${filledContent(notice)}`,
    }),
  });
  if (!sent.ok) return sent;
  const code = readCode(sent.text);
  if (code === accepted) return { ok: true };
  const shown = code ?? "unreadable";
  return {
    ok: false,
    reason: `wxpusher-${shown}`,
    message: `WxPusher 没有接受通知（${shown}），请检查令牌`,
  };
};

function readCode(text: string): number | undefined {
  try {
    return answer.parse(parseForeign(text)).code;
  } catch {
    return undefined;
  }
}
