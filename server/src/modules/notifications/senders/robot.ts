/** Robots of group chats: what is posted to a robot appears in its group. */

import { z } from "zod";
import { filledContent, type Delivery, type Sent, type SenderPorts } from "./sender.ts";

type Robot = {
  /** Prefix of its error codes in the log. */
  readonly id: string;
  /** Where messages are posted. The key is letters, digits, `-` and `_`. */
  readonly addressOf: (key: string) => string;
  /** The texts for users about a refusal. */
  readonly refusedMessage: (code: number | string) => string;
};

/** The longest text WeCom takes, in bytes of UTF-8; DingTalk takes more. */
const textBytesMax = 2_048;

/** The robot answers a refusal with status 200 and a code other than 0. */
const answer = z.object({ errcode: z.number().int() });

/**
 * The text begins with the system's name, because a robot can be set to pass on only texts with a
 * certain word.
 */
export function openRobot({ id, addressOf, refusedMessage }: Robot) {
  return async (
    { key }: { readonly key: string },
    { notice }: Delivery,
    { outbound, systemName }: SenderPorts,
  ): Promise<Sent> => {
    const content = cut(`${systemName()}：${notice.title}\n${filledContent(notice)}`);
    const sent = await outbound({
      method: "POST",
      url: addressOf(key),
      headers: { "content-type": "application/json; charset=utf-8" },
      body: JSON.stringify({ msgtype: "text", text: { content } }),
    });
    if (!sent.ok) return sent;
    const code = readErrcode(sent.text);
    if (code === 0) return { ok: true };
    const shown = code ?? "unreadable";
    return { ok: false, reason: `${id}-${shown}`, message: refusedMessage(shown) };
  };
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
  // The cut may have split the last character.
  return kept.replace(/\uFFFD+$/, "") + ending;
}
