import type { User } from "@tollgate/contract/endpoints/users.ts";
import { useMemo } from "react";
import { showQuota } from "#display/quota.ts";
import { useT } from "#i18n/t.ts";
import { Muted } from "#ui/feedback/Muted.tsx";
import { FieldFrame } from "#ui/form/FieldFrame.tsx";
import { toast } from "#ui/overlays/toast.ts";
import { QuotaInput } from "#widgets/money/QuotaInput.tsx";
import { QuotaText } from "#widgets/money/QuotaText.tsx";
import { useQuotaDisplay } from "#widgets/money/use-quota-display.ts";
import { FormDialog } from "#features/account/FormDialog.tsx";
import { useTransfer } from "#features/account/account.api.ts";
import { leastTransfer, type TransferForm, transferSchema } from "./transfer-form.ts";
import { useDialogForm } from "#features/account/use-dialog-form.ts";

/** A dialog that transfers earnings from invitations to the balance. */
export function TransferDialog(props: { readonly self: User; readonly onClose: () => void }) {
  const { self, onClose } = props;
  const t = useT();
  const display = useQuotaDisplay();
  const earnings = self.aff_quota;
  const { mutateAsync: transfer } = useTransfer();
  const schema = useMemo(() => transferSchema(t, { earnings, display }), [t, earnings, display]);
  const least = leastTransfer(display);
  const whole: TransferForm = { quota: earnings >= least ? earnings : null };
  const form = useDialogForm({
    empty: whole,
    schema,
    refusedField: "quota",
    async send({ quota }) {
      await transfer(quota);
      const amount = showQuota(quota, display);
      toast({ tone: "success", title: t("account.transferred", { amount }) });
    },
    onSent: onClose,
  });
  const { typed, faults, change } = form;
  return (
    <FormDialog
      form={form}
      onClose={onClose}
      title={t("account.transferTitle")}
      description={t("account.transferHow", {
        earnings: showQuota(earnings, display),
        minimum: showQuota(least, display),
      })}
      submitLabel={t("account.transfer")}
    >
      <FieldFrame name="quota" label={t("account.transferAmount")} error={faults.quota}>
        {(control) => (
          <QuotaInput {...control} value={typed.quota} onChange={(quota) => change({ quota })} />
        )}
      </FieldFrame>
      <After quota={self.quota} amount={typed.quota ?? 0} />
    </FormDialog>
  );
}

/** Shows the balance before and after the transfer. */
function After({ quota, amount }: { readonly quota: number; readonly amount: number }) {
  const t = useT();
  return (
    <p className="flex flex-wrap items-baseline gap-x-2 text-sm" aria-live="polite">
      <Muted>{t("account.quotaLeft")}</Muted>
      <QuotaText quota={quota} />
      {amount > 0 && (
        <>
          <Muted>→</Muted>
          <span className="font-medium">
            <QuotaText quota={quota + amount} />
          </span>
        </>
      )}
    </p>
  );
}
