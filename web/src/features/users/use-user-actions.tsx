import { useNavigate } from "@tanstack/react-router";
import { type ManageAction } from "@tollgate/contract/endpoints/user-admin.ts";
import { type AdminUser, role, userStatus } from "@tollgate/contract/endpoints/users.ts";
import {
  ArrowBigDownDash,
  ArrowBigUpDash,
  Ban,
  CircleCheck,
  HandCoins,
  History,
  Pencil,
  ScrollText,
  Trash2,
  Users,
} from "lucide-react";
import { type ReactNode, useMemo } from "react";
import { type T, translateServerMessage, useT } from "#i18n/t.ts";
import { toast, type ToastContent, toastError } from "#ui/overlays/toast.ts";
import { useConfirm } from "#ui/overlays/use-confirm.ts";
import type { BulkAction, BulkResult, RowAction } from "#ui/table/column.ts";
import { type Caller, isOffered, refusalOf, splitAllowed, type UserAction } from "./user-rules.ts";
import { type BulkChange, useChangeUsers, useManageUser } from "./users.api.ts";
import { openDebt, openHistory } from "./users.search.ts";

/**
 * Returns the actions on one user in the list: two buttons, the others in a menu. A disabled action
 * says why.
 */
export function useUserRowActions(
  caller: Caller,
  onOpen: (open: string) => void,
): readonly RowAction<AdminUser>[] {
  const t = useT();
  const navigate = useNavigate();
  const manage = useManagement();
  return useMemo(() => {
    const on = (
      key: UserAction,
      label: string,
      icon: ReactNode,
      onSelect: (row: AdminUser) => unknown,
    ): RowAction<AdminUser> => ({
      key,
      label,
      icon,
      shown: (row) => isOffered(key, row, caller),
      disabled: (row) => reasonOf(refusalOf(key, row, caller), t),
      onSelect: (row) => void onSelect(row),
    });
    return [
      on("edit", t("users.edit"), <Pencil size={16} aria-hidden />, (row) =>
        onOpen(String(row.id)),
      ),
      on("enable", t("users.enable"), <CircleCheck size={16} aria-hidden />, manage.enable),
      on("disable", t("users.disable"), <Ban size={16} aria-hidden />, manage.disable),
      on("history", t("users.history"), <History size={16} aria-hidden />, (row) =>
        onOpen(openHistory(row.id)),
      ),
      {
        key: "waive",
        label: t("users.waive"),
        icon: <HandCoins size={16} aria-hidden />,
        shown: (row) => row.debt > 0 && caller.role === role.enum.root,
        onSelect: (row) => onOpen(openDebt(row.id)),
      },
      {
        key: "logs",
        label: t("users.showLogs"),
        icon: <ScrollText size={16} aria-hidden />,
        shown: (row) => row.DeletedAt === null,
        onSelect: (row) =>
          void navigate({
            to: "/log",
            // Cast: the router knows the parameters of each address only in the routes, which
            // features may not import.
            search: { username: row.username } as unknown as true,
          }),
      },
      on("promote", t("users.promote"), <ArrowBigUpDash size={16} aria-hidden />, manage.promote),
      on("demote", t("users.demote"), <ArrowBigDownDash size={16} aria-hidden />, manage.demote),
      {
        ...on("delete", t("users.delete"), <Trash2 size={16} aria-hidden />, manage.remove),
        tone: "danger",
      },
    ];
  }, [t, caller, navigate, onOpen, manage]);
}

function reasonOf(why: ReturnType<typeof refusalOf>, t: T): string | undefined {
  return why === null ? undefined : t(why);
}

/**
 * Returns the five management actions of the API, each with its confirmation beforehand and its
 * message afterwards.
 */
function useManagement() {
  const t = useT();
  const confirm = useConfirm();
  const { mutateAsync } = useManageUser();
  return useMemo(() => {
    const run = async (
      row: AdminUser,
      action: ManageAction,
      news: Omit<ToastContent, "tone">,
    ): Promise<void> => {
      try {
        await mutateAsync({ row, action });
        toast({ tone: "success", ...news });
      } catch (error) {
        toastError(error);
      }
    };
    const enable = (row: AdminUser) =>
      run(row, "enable", { title: t("users.enabled", { name: row.username }) });
    return {
      enable,
      disable: (row: AdminUser) =>
        run(row, "disable", {
          title: t("users.disabled", { name: row.username }),
          description: t("users.disabledHelp"),
          action: { label: t("users.undo"), onClick: () => void enable(row) },
        }),
      async promote(row: AdminUser): Promise<void> {
        const name = row.username;
        const agreed = await confirm({
          title: t("users.promoteTitle", { name }),
          body: t("users.promoteBody"),
          confirmLabel: t("users.promote"),
        });
        if (agreed) await run(row, "promote", { title: t("users.promoted", { name }) });
      },
      async demote(row: AdminUser): Promise<void> {
        const name = row.username;
        const agreed = await confirm({
          title: t("users.demoteTitle", { name }),
          body: t("users.demoteBody"),
          confirmLabel: t("users.demote"),
        });
        if (agreed) await run(row, "demote", { title: t("users.demoted", { name }) });
      },
      async remove(row: AdminUser): Promise<void> {
        const name = row.username;
        const agreed = await confirm({
          title: t("users.deleteTitle", { name }),
          body: t("users.deleteBody"),
          confirmLabel: t("users.delete"),
          tone: "danger",
          typed: name,
        });
        if (agreed) await run(row, "delete", { title: t("users.deleted", { name }) });
      },
    };
  }, [t, confirm, mutateAsync]);
}

/**
 * Returns the actions on selected users, sent in batches of a hundred. Users for whom the server
 * would refuse are left out, and are listed with the reason.
 * @param askGroup asks for a group; resolves to null if the user cancelled.
 */
export function useUserBulkActions(
  caller: Caller,
  askGroup: (count: number) => Promise<string | null>,
): readonly BulkAction<AdminUser>[] {
  const t = useT();
  const confirm = useConfirm();
  const { mutateAsync } = useChangeUsers();
  return useMemo((): BulkAction<AdminUser>[] => {
    const send = async (
      action: UserAction,
      rows: readonly AdminUser[],
      change: BulkChange,
    ): Promise<BulkResult> => {
      const { allowed, refused } = splitAllowed(action, rows, caller);
      const ids = allowed.map(({ id }) => id);
      const answered = ids.length === 0 ? [] : await mutateAsync({ ids, change });
      const failed = [
        ...refused.map(({ row, why }) => ({ id: String(row.id), reason: t(why) })),
        ...answered.map(({ id, message }) => ({
          id: String(id),
          reason: translateServerMessage(message),
        })),
      ];
      return { done: rows.length - failed.length, failed };
    };
    return [
      {
        key: "enable",
        label: t("users.enable"),
        icon: <CircleCheck size={16} aria-hidden />,
        onSelect: (rows) => send("enable", rows, { status: userStatus.enum.enabled }),
      },
      {
        key: "disable",
        label: t("users.disable"),
        icon: <Ban size={16} aria-hidden />,
        onSelect: async (rows) => {
          const agreed = await confirm({
            title: t("users.disableManyTitle", { count: rows.length }),
            body: t("users.disableManyBody"),
            confirmLabel: t("users.disable"),
            tone: "danger",
          });
          return agreed ? await send("disable", rows, { status: userStatus.enum.disabled }) : false;
        },
      },
      {
        key: "group",
        label: t("users.setGroup"),
        icon: <Users size={16} aria-hidden />,
        onSelect: async (rows) => {
          const group = await askGroup(rows.length);
          return group === null ? false : await send("group", rows, { group });
        },
      },
    ];
  }, [t, caller, confirm, mutateAsync, askGroup]);
}
