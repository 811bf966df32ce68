import { role } from "@tollgate/contract/endpoints/users.ts";
import { useCallback } from "react";
import { useT } from "#i18n/t.ts";
import { ownAddress } from "#page/base-path.ts";
import { toast, toastError } from "#ui/overlays/toast.ts";
import { type ChatLink, chatUrl, isPage } from "./chat-links.ts";
import { serverUrlOf } from "#widgets/server/server-url.ts";
import { useSession, useStatus } from "#widgets/server/use-status.ts";

/**
 * Opens a chat client with a token: a web page in a new tab, an app by its own scheme. The address
 * contains the token's key, so it never becomes the address of the console's own tab.
 *
 * @param readKey resolves to the whole key, with `sk-`.
 */
export function useOpenChat(): (link: ChatLink, readKey: () => Promise<string>) => Promise<void> {
  const t = useT();
  const configured = useStatus()?.server_address;
  const isRoot = (useSession()?.role ?? 0) >= role.enum.root;
  return useCallback(
    async (link, readKey) => {
      const inTab = isPage(link);
      // The tab is opened during the click, before the key has been read: browsers block a tab that
      // is opened later.
      const tab = inTab ? window.open("", "_blank") : null;
      if (inTab && tab === null) {
        toast({ tone: "danger", title: t("widgets.chatTabBlocked") });
        return;
      }
      if (tab !== null) tab.opener = null;
      try {
        const key = await readKey();
        const url = chatUrl(link.template, serverUrlOf(configured, ownAddress()), key);
        if (url === null) {
          tab?.close();
          toast({
            tone: "danger",
            title: isRoot ? t("widgets.chatBrokenRoot") : t("widgets.chatBroken"),
          });
        } else if (tab === null) {
          // The address has an app's scheme, so the browser starts the app and the console stays
          // open.
          location.assign(url);
        } else {
          tab.location.replace(url);
        }
      } catch (error) {
        tab?.close();
        toastError(error);
      }
    },
    [t, configured, isRoot],
  );
}
