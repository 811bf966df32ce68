import { createHmac } from "node:crypto";
import type { webhook } from "@tollgate/contract/kinds/webhook.ts";
import { unixSeconds } from "#base/clock.ts";
import type { Sender } from "./sender.ts";

/** The values are also sent separately, so that programs need not parse the text. */
export const sendByWebhook: Sender<typeof webhook> = async (
  { url, secret },
  { notice },
  { outbound, now },
) => {
  const body = JSON.stringify({ ...notice, timestamp: unixSeconds(now()) });
  const signature = secret === "" ? {} : { "x-webhook-signature": sign(secret, body) };
  const headers = { "content-type": "application/json", ...signature };
  return await outbound({ method: "POST", url, headers, body });
};

/** Hex HMAC-SHA256. */
function sign(secret: string, body: string): string {
  return createHmac("sha256", secret).update(body).digest("hex");
}
