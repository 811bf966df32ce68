import { createHmac } from "node:crypto";
import type { webhook } from "@tollgate/contract/kinds/webhook.ts";
import { unixSeconds } from "#base/clock.ts";
import type { Sender } from "./sender.ts";

/**
 * Posts a notice as JSON. The values in its text are also sent as a list, so that programs need not
 * parse the text.
 */
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

/** Computes the signature of a body: hex HMAC-SHA256 with the user's secret. */
function sign(secret: string, body: string): string {
  return createHmac("sha256", secret).update(body).digest("hex");
}
