import type { bark } from "@tollgate/contract/kinds/bark.ts";
import { filledContent, type Sender } from "./sender.ts";

/** Sends through the app Bark, which takes title and text as parts of the address. */
export const sendByBark: Sender<typeof bark> = async ({ url }, { notice }, { outbound }) => {
  const filled = url
    .replaceAll("{{title}}", encodeURIComponent(notice.title))
    .replaceAll("{{content}}", encodeURIComponent(filledContent(notice)));
  return await outbound({ method: "GET", url: filled, headers: {}, body: "" });
};
