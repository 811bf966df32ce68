/**
 * Sends through robots of group chats: a message that is posted to a robot appears in its group.
 */

import { trimEndOf } from "@tollgate/contract/fields/trim-end.ts";
import { z } from "zod";
import { parseForeign } from "#base/json.ts";
import { filledContent, type Delivery, type SendResult, type SenderPorts } from "./sender.ts";

type Robot = {
  /** Name of the chat service. The reasons of failed deliveries begin with it. */
  readonly id: string;
  /**
   * The address to which messages for a robot with this key are posted. The key has only letters,
   * digits, `-` and `_`.
   */
  readonly addressOf: (key: string) => string;
  /** The message for users when the robot refuses a notice with this error code. */
  readonly refusedMessage: (code: number | string) => string;
};

/** The longest text that WeCom accepts, in bytes of UTF-8; DingTalk accepts longer ones. */
const textBytesMax = 2_048;

/** The robot's answer. A refusal has status 200, too, but an `errcode` other than 0. */
const answer = z.object({ errcode: z.number().int() });

/**
 * Makes the sender for a robot. Its texts begin with the system's name, because a robot can be set
 * to accept only texts that contain a certain word.
 */
export function openRobot({ id, addressOf, refusedMessage }: Robot) {
  return async (
    { key }: { readonly key: string },
    { notice }: Delivery,
    { outbound, systemName }: SenderPorts,
  ): Promise<SendResult> => {
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
    return answer.parse(parseForeign(text)).errcode;
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
  // Cutting between bytes may have split the last character, which is then decoded as U+FFFD.
  return trimEndOf(kept, "\uFFFD") + ending;
}
