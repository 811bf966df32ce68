import type { Token } from "@tollgate/contract/endpoints/tokens.ts";
import {
  Ban,
  Cable,
  CircleCheck,
  Copy,
  MessageSquare,
  Pencil,
  RefreshCcw,
  ScrollText,
  Trash2,
} from "lucide-react";
import { useNavigate } from "@tanstack/react-router";
import { useMemo } from "react";
import { useT } from "#i18n/t.ts";
import { useCopy } from "#ui/copy/use-copy.ts";
import { useConfirm } from "#ui/overlays/use-confirm.ts";
import { toast, toastError } from "#ui/overlays/toast.ts";
import type { BulkAction, BulkResult, RowAction } from "#ui/table/column.ts";
import { chatLinks } from "#widgets/chat/chat-links.ts";
import { tokenState } from "#widgets/tokens/token-state.ts";
import { useOpenChat } from "#widgets/chat/use-open-chat.ts";
import { useStatus } from "#widgets/server/use-status.ts";
import { keyLine } from "./key-line.ts";
import {
  readWholeKey,
  readWholeKeys,
  type TokenSource,
  useRemoveToken,
  useRemoveTokens,
  useSetTokenStatuses,
} from "./tokens.api.ts";

/** Returns the actions on one token in the list: two buttons, the others in a menu. */
export function useTokenRowActions(
  source: TokenSource,
  onOpen: (open: string) => void,
): readonly RowAction<Token>[] {
  const t = useT();
  const navigate = useNavigate();
  const remove = useRemoveOne(source);
  const openChat = useOpenChat();
  const chats = useStatus()?.chats;
  return useMemo(
    () => [
      {
        key: "connect",
        label: t("tokens.connect"),
        icon: <Cable size={16} aria-hidden />,
        onSelect: (row) => onOpen(`${connectPrefix}${row.id}`),
      },
      {
        key: "edit",
        label: t("tokens.edit"),
        icon: <Pencil size={16} aria-hidden />,
        onSelect: (row) => onOpen(String(row.id)),
      },
      ...chatLinks(chats ?? []).map((link, index): RowAction<Token> => ({
        key: `chat-${index}`,
        label: t("tokens.openIn", { name: link.name }),
        icon: <MessageSquare size={16} aria-hidden />,
        disabled: (row) => (isUsable(row) ? undefined : t("tokens.notUsable")),
        onSelect: (row) => void openChat(link, () => readWholeKey(row.id)),
      })),
      {
        key: "rotate",
        label: t("tokens.rotate"),
        icon: <RefreshCcw size={16} aria-hidden />,
        onSelect: (row) => onOpen(`${rotatePrefix}${row.id}`),
      },
      {
        key: "logs",
        label: t("tokens.showLogs"),
        icon: <ScrollText size={16} aria-hidden />,
        onSelect: (row) =>
          void navigate({
            to: source === "all" ? "/newLog" : "/log",
            // Cast: the router knows the parameters of each address only in the routes, which
            // features may not import.
            search: { token_name: row.name, username: row.username } as unknown as true,
          }),
      },
      {
        key: "delete",
        label: t("tokens.delete"),
        icon: <Trash2 size={16} aria-hidden />,
        tone: "danger",
        onSelect: (row) => void remove(row),
      },
    ],
    [t, source, onOpen, navigate, remove, openChat, chats],
  );
}

/** The prefix of `open` for the sheet that shows how to use a token: `connect-7`. */
export const connectPrefix = "connect-";

/** The prefix of `open` for the sheet that gives a token a new key: `rotate-7`. */
export const rotatePrefix = "rotate-";

function isUsable(row: Token): boolean {
  return tokenState(row, Math.floor(Date.now() / 1_000)) === "enabled";
}

function useRemoveOne(source: TokenSource): (row: Token) => Promise<void> {
  const t = useT();
  const confirm = useConfirm();
  const { mutateAsync: remove } = useRemoveToken(source);
  return useMemo(
    () => async (row) => {
      const agreed = await confirm({
        title: t("tokens.deleteTitle", { name: row.name }),
        body: t("tokens.deleteBody"),
        confirmLabel: t("tokens.delete"),
        tone: "danger",
      });
      if (!agreed) return;
      try {
        await remove(row.id);
        toast({ tone: "success", title: t("tokens.deleted", { name: row.name }) });
      } catch (error) {
        toastError(error);
      }
    },
    [t, confirm, remove],
  );
}

/** Returns the actions on selected tokens, sent in batches of a hundred. */
export function useTokenBulkActions(source: TokenSource): readonly BulkAction<Token>[] {
  const t = useT();
  const confirm = useConfirm();
  const copy = useCopy();
  const { mutateAsync: setStatuses } = useSetTokenStatuses(source);
  const { mutateAsync: remove } = useRemoveTokens(source);
  return useMemo(() => {
    const setAll = async (rows: readonly Token[], enabled: boolean): Promise<BulkResult> => {
      const refused = await setStatuses({ ids: rows.map(({ id }) => id), enabled });
      const failed = refused.map(({ id, message }) => ({ id: String(id), reason: message }));
      return { done: rows.length - failed.length, failed };
    };
    const unselected = t("tokens.selectSome");
    return [
      {
        key: "copy",
        unselected,
        label: t("tokens.copyKeys"),
        icon: <Copy size={16} aria-hidden />,
        onSelect: async (rows): Promise<false> => {
          const keys = await readWholeKeys(rows.map(({ id }) => id));
          const text = keys.map(({ name, key }) => keyLine(name, key)).join("\n");
          if (!(await copy(text))) return false;
          toast({ tone: "success", title: t("tokens.keysCopied", { count: keys.length }) });
          return false;
        },
      },
      {
        key: "enable",
        unselected,
        label: t("tokens.enable"),
        icon: <CircleCheck size={16} aria-hidden />,
        onSelect: (rows) => setAll(rows, true),
      },
      {
        key: "disable",
        unselected,
        label: t("tokens.disable"),
        icon: <Ban size={16} aria-hidden />,
        onSelect: (rows) => setAll(rows, false),
      },
      {
        key: "delete",
        unselected,
        label: t("tokens.delete"),
        icon: <Trash2 size={16} aria-hidden />,
        tone: "danger",
        onSelect: async (rows): Promise<BulkResult | false> => {
          const agreed = await confirm({
            title: t("tokens.deleteManyTitle", { count: rows.length }),
            body: t("tokens.deleteBody"),
            confirmLabel: t("tokens.delete"),
            tone: "danger",
            typed: String(rows.length),
          });
          if (!agreed) return false;
          return { done: await remove(rows.map(({ id }) => id)), failed: [] };
        },
      },
    ];
  }, [t, confirm, copy, setStatuses, remove]);
}
