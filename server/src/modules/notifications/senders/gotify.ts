import type { gotify } from "@tollgate/contract/kinds/gotify.ts";
import { filledContent, type Sender } from "./sender.ts";

/** The token goes in a header, where it is not written to the logs of proxies. */
export const sendByGotify: Sender<typeof gotify> = async (
  { url, token, priority },
  { notice },
  { outbound },
) => {
  return await outbound({
    method: "POST",
    url: `${url.replace(/\/+$/, "")}/message`,
    headers: { "content-type": "application/json", "x-gotify-key": token },
    body: JSON.stringify({ title: notice.title, message: filledContent(notice), priority }),
  });
};
