import { type Redemption, redemptionStatus } from "@tollgate/contract/endpoints/redemptions.ts";
import { Ban, CircleCheck, Copy, Download, Pencil, Trash2 } from "lucide-react";
import { useMemo } from "react";
import { useT } from "#i18n/t.ts";
import { saveFile } from "#ui/copy/save-file.ts";
import { useCopy } from "#ui/copy/use-copy.ts";
import { toast, toastError } from "#ui/overlays/toast.ts";
import { useConfirm } from "#ui/overlays/use-confirm.ts";
import type { BulkAction, BulkResult, RowAction } from "#ui/table/column.ts";
import { showMessage } from "#widgets/server/server-message.ts";
import {
  useRemoveRedemption,
  useRemoveRedemptions,
  useSetRedemptionStatuses,
} from "./redemptions.api.ts";

const { unused, disabled, used } = redemptionStatus.enum;

/** Returns the actions on one code in the list. A used code can only be copied and deleted. */
export function useRedemptionRowActions(
  onOpen: (open: string) => void,
): readonly RowAction<Redemption>[] {
  const t = useT();
  const copy = useCopy();
  const removeOne = useRemoveOne();
  const { mutateAsync: setStatuses } = useSetRedemptionStatuses();
  return useMemo(() => {
    const setStatus = async (row: Redemption, enabled: boolean) => {
      try {
        const [refused] = await setStatuses({ ids: [row.id], enabled });
        if (refused === undefined) return;
        toast({ tone: "danger", title: showMessage(refused.message, t) });
      } catch (error) {
        toastError(error);
      }
    };
    return [
      {
        key: "copy",
        label: t("redemptions.copy"),
        icon: <Copy size={16} aria-hidden />,
        onSelect: (row) => void copyCodes([row]),
      },
      {
        key: "edit",
        label: t("redemptions.edit"),
        icon: <Pencil size={16} aria-hidden />,
        shown: (row) => row.status === unused,
        onSelect: (row) => onOpen(String(row.id)),
      },
      {
        key: "disable",
        label: t("redemptions.disable"),
        icon: <Ban size={16} aria-hidden />,
        shown: (row) => row.status === unused,
        onSelect: (row) => void setStatus(row, false),
      },
      {
        key: "enable",
        label: t("redemptions.enable"),
        icon: <CircleCheck size={16} aria-hidden />,
        shown: (row) => row.status === disabled,
        onSelect: (row) => void setStatus(row, true),
      },
      {
        key: "delete",
        label: t("redemptions.delete"),
        icon: <Trash2 size={16} aria-hidden />,
        tone: "danger",
        onSelect: (row) => void removeOne(row),
      },
    ];

    async function copyCodes(rows: readonly Redemption[]) {
      if (await copy(rows.map(({ key }) => key).join("\n"))) {
        toast({ tone: "success", title: t("redemptions.copied", { count: rows.length }) });
      }
    }
  }, [t, copy, onOpen, removeOne, setStatuses]);
}

function useRemoveOne(): (row: Redemption) => Promise<void> {
  const t = useT();
  const confirm = useConfirm();
  const { mutateAsync: remove } = useRemoveRedemption();
  return useMemo(
    () => async (row) => {
      const agreed = await confirm({
        title: t("redemptions.deleteTitle", { name: row.name }),
        body: row.status === used ? t("redemptions.deleteUsedBody") : t("redemptions.deleteBody"),
        confirmLabel: t("redemptions.delete"),
        tone: "danger",
      });
      if (!agreed) return;
      try {
        await remove(row.id);
        toast({ tone: "success", title: t("redemptions.deleted", { name: row.name }) });
      } catch (error) {
        toastError(error);
      }
    },
    [t, confirm, remove],
  );
}

/** Makes the browser download codes as a text file, one a line. */
export function saveCodes(codes: readonly string[], name: string): void {
  saveFile(new Blob([`${codes.join("\n")}\n`], { type: "text/plain" }), `${name}.txt`);
}

/** Returns the actions on selected codes, sent in batches of a hundred. */
export function useRedemptionBulkActions(): readonly BulkAction<Redemption>[] {
  const t = useT();
  const confirm = useConfirm();
  const copy = useCopy();
  const { mutateAsync: setStatuses } = useSetRedemptionStatuses();
  const { mutateAsync: remove } = useRemoveRedemptions();
  return useMemo((): BulkAction<Redemption>[] => {
    const setAll = async (rows: readonly Redemption[], enabled: boolean): Promise<BulkResult> => {
      const refused = await setStatuses({ ids: rows.map(({ id }) => id), enabled });
      const failed = refused.map(({ id, message }) => ({
        id: String(id),
        reason: showMessage(message, t),
      }));
      return { done: rows.length - failed.length, failed };
    };
    const unselected = t("redemptions.selectSome");
    return [
      {
        key: "copy",
        unselected,
        label: t("redemptions.copyCodes"),
        icon: <Copy size={16} aria-hidden />,
        onSelect: async (rows): Promise<false> => {
          if (!(await copy(rows.map(({ key }) => key).join("\n")))) return false;
          toast({ tone: "success", title: t("redemptions.copied", { count: rows.length }) });
          return false;
        },
      },
      {
        key: "download",
        unselected,
        label: t("redemptions.download"),
        icon: <Download size={16} aria-hidden />,
        onSelect: (rows): false => {
          saveCodes(
            rows.map(({ key }) => key),
            "redemption-codes",
          );
          return false;
        },
      },
      {
        key: "enable",
        unselected,
        label: t("redemptions.enable"),
        icon: <CircleCheck size={16} aria-hidden />,
        onSelect: (rows) => setAll(rows, true),
      },
      {
        key: "disable",
        unselected,
        label: t("redemptions.disable"),
        icon: <Ban size={16} aria-hidden />,
        onSelect: (rows) => setAll(rows, false),
      },
      {
        key: "delete",
        unselected,
        label: t("redemptions.delete"),
        icon: <Trash2 size={16} aria-hidden />,
        tone: "danger",
        onSelect: async (rows): Promise<BulkResult | false> => {
          const agreed = await confirm({
            title: t("redemptions.deleteManyTitle", { count: rows.length }),
            body: t("redemptions.deleteBody"),
            confirmLabel: t("redemptions.delete"),
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
