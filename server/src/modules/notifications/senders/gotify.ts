import { trimEndOf } from "@tollgate/contract/fields/trim-end.ts";
import type { gotify } from "@tollgate/contract/kinds/gotify.ts";
import { filledContent, type Sender } from "./sender.ts";

/**
 * Sends through a Gotify server. The token is in a header, because proxies log addresses but not
 * headers.
 */
export const sendByGotify: Sender<typeof gotify> = async (
  { url, token, priority },
  { notice },
  { outbound },
) => {
  return await outbound({
    method: "POST",
    url: `${trimEndOf(url, "/")}/message`,
    headers: { "content-type": "application/json", "x-gotify-key": token },
    body: JSON.stringify({ title: notice.title, message: filledContent(notice), priority }),
  });
};
