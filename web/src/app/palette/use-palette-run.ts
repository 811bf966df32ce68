import { useNavigate } from "@tanstack/react-router";
import { testChannels } from "@tollgate/contract/endpoints/channel-probes.ts";
import { call } from "#api/call.ts";
import { useT } from "#i18n/t.ts";
import { below, ownAddress } from "#page/base-path.ts";
import { copyText } from "#ui/copy/copy-text.ts";
import { toast, toastError } from "#ui/overlays/toast.ts";
import { useSession, useStatus } from "#widgets/server/use-status.ts";
import { openNotice } from "#app/shell/notice.ts";
import { useSignOut } from "#app/shell/use-sign-out.ts";
import type { Action } from "./palette-commands.ts";
import { keepRecent, type RecentEntry } from "./palette-recent.ts";
import { closePalette } from "./palette-store.ts";

export type Run = {
  /**
   * Opens the entry's address and adds the entry to the recent ones, which the palette shows first.
   */
  readonly open: (entry: RecentEntry) => void;
  readonly act: (action: Action) => void;
  readonly after: (command: () => void) => void;
};

/**
 * Returns the functions that run a chosen command. Each closes the palette first, so that the focus
 * is back on the page when the command runs.
 */
export function useRun(): Run {
  const t = useT();
  const navigate = useNavigate();
  const signOut = useSignOut();
  const session = useSession();
  const serverAddress = useStatus()?.server_address;

  async function testAll(): Promise<void> {
    try {
      await call(testChannels, {});
      toast({ tone: "success", title: t("palette.testAllStarted") });
      await navigate({ href: below("/channel") });
    } catch (error) {
      toastError(error);
    }
  }
  async function copyAddress(): Promise<void> {
    const address = `${(serverAddress || ownAddress()).replace(/\/+$/, "")}/v1`;
    const copied = await copyText(address);
    toast(
      copied
        ? { tone: "success", title: t("palette.copied"), description: address }
        : { tone: "info", title: address },
    );
  }
  return {
    open(entry) {
      closePalette();
      if (session !== null) keepRecent(session.id, entry);
      void navigate({ href: below(entry.address) });
    },
    after(command) {
      closePalette();
      command();
    },
    act(action) {
      closePalette();
      switch (action.kind) {
        case "open":
          void navigate({ href: below(action.address) });
          return;
        case "test-all":
          void testAll();
          return;
        case "copy-address":
          void copyAddress();
          return;
        case "notice":
          openNotice();
          return;
        case "sign-out":
          void signOut();
      }
    },
  };
}
