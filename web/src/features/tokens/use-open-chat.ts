import type { Token } from "contract/tokens.ts";
import { useCallback } from "react";
import { useT } from "#i18n/t.ts";
import { toast, toastError } from "#ui/overlays/toast.ts";
import { useStatus } from "#widgets/use-status.ts";
import { type ChatLink, chatUrl } from "./chat-links.ts";
import { serverUrlOf } from "./token-snippets.ts";
import { readWholeKey } from "./tokens.api.ts";

/** Opens a chat client with a token: a page in a new tab, an app by its own scheme. */
export function useOpenChat(): (row: Token, link: ChatLink) => Promise<void> {
  const t = useT();
  const configured = useStatus()?.server_address;
  return useCallback(
    async (row, { template }) => {
      const isPage = /^https?:/i.test(template.trim());
      // Opened at the press, before the key is there: later the browser would not allow it.
      const tab = isPage ? window.open("", "_blank") : null;
      if (tab !== null) tab.opener = null;
      try {
        const key = await readWholeKey(row.id);
        const url = chatUrl(template, serverUrlOf(configured, location.origin), key);
        if (url === null) {
          tab?.close();
          toast({ tone: "danger", title: t("tokens.chatBroken") });
        } else if (tab === null) {
          location.assign(url);
        } else {
          tab.location.replace(url);
        }
      } catch (error) {
        tab?.close();
        toastError(error);
      }
    },
    [t, configured],
  );
}
