import { useMemo } from "react";
import { z } from "zod";
import { showQuota } from "#display/quota.ts";
import { useT } from "#i18n/t.ts";
import { fieldsOf } from "#ui/form/fields.tsx";
import { FormSheet } from "#ui/form/FormSheet.tsx";
import { toast } from "#ui/overlays/toast.ts";
import { earningsAmount } from "#widgets/earnings/MoveSheet.tsx";
import { QuotaInput } from "#widgets/money/QuotaInput.tsx";
import { useQuotaDisplay } from "#widgets/money/use-quota-display.ts";
import { useTransferQuota } from "./organisations.api.ts";

type TransferForm = { direction: "in" | "out"; amount: number | null };

const F = fieldsOf<TransferForm>();
const empty: TransferForm = { direction: "in", amount: null };

/** Moves quota between the user's own balance and the organisation's. */
export function TransferSheet(props: {
  readonly id: number;
  /** The organisation's balance. */
  readonly quota: number;
  readonly onClose: () => void;
}) {
  const { id, quota, onClose } = props;
  const t = useT();
  const display = useQuotaDisplay();
  const { mutateAsync: transfer } = useTransferQuota();
  const schema = useMemo(
    () =>
      z.object({
        direction: z.enum(["in", "out"]),
        amount: earningsAmount(t, display, { least: 1, most: Number.MAX_SAFE_INTEGER }),
      }),
    [t, display],
  );
  return (
    <FormSheet
      open
      title={t("organisations.transfer")}
      description={t("organisations.transferHow", { balance: showQuota(quota, display) })}
      submitLabel={t("organisations.transfer")}
      schema={schema}
      values={empty}
      onSubmit={async (form) => {
        await transfer({ id, ...form });
        const amount = showQuota(form.amount, display);
        toast({ tone: "success", title: t("organisations.transferred", { amount }) });
      }}
      onClose={onClose}
    >
      <F.Select
        name="direction"
        label={t("organisations.direction")}
        items={[
          { value: "in", label: t("organisations.directionIn") },
          { value: "out", label: t("organisations.directionOut") },
        ]}
      />
      <F.Custom name="amount" label={t("organisations.amount")} required>
        {(control) => <QuotaInput {...control} />}
      </F.Custom>
    </FormSheet>
  );
}
