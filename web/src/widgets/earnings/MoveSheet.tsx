import { useMemo } from "react";
import { z } from "zod";
import { type QuotaDisplay, showQuota } from "#display/quota.ts";
import { type T, useT } from "#i18n/t.ts";
import { fieldsOf } from "#ui/form/fields.tsx";
import { FormSheet } from "#ui/form/FormSheet.tsx";
import { toast } from "#ui/overlays/toast.ts";
import { QuotaInput } from "#widgets/money/QuotaInput.tsx";
import { useQuotaDisplay } from "#widgets/money/use-quota-display.ts";

type MoveForm = { quota: number | null };

const F = fieldsOf<MoveForm>();

/** The amounts that a form accepts, in quota units. */
type Bounds = { readonly least: number; readonly most: number };

/** Makes the schema of an amount of earnings. */
export function earningsAmount(t: T, display: QuotaDisplay, { least, most }: Bounds) {
  return z
    .custom<number | null>()
    .refine((quota) => quota !== null, t("widgets.earningsMissing"))
    .refine((quota) => quota === null || !Number.isNaN(quota), t("widgets.earningsUnreadable"))
    .refine(
      (quota) => quota === null || !(quota < least),
      t("widgets.earningsTooLittle", { least: showQuota(least, display) }),
    )
    .refine(
      (quota) => quota === null || !(quota > most),
      t("widgets.earningsTooMuch", { most: showQuota(most, display) }),
    )
    .transform((quota) => quota ?? 0);
}

/** A sheet that moves earnings to the balance. */
export function MoveSheet(
  props: Bounds & {
    /** Moves this many quota units. */
    readonly onMove: (quota: number) => Promise<unknown>;
    readonly onClose: () => void;
  },
) {
  const { least, most, onMove } = props;
  const t = useT();
  const display = useQuotaDisplay();
  const schema = useMemo(
    () => z.object({ quota: earningsAmount(t, display, { least, most }) }),
    [t, display, least, most],
  );
  const values = useMemo<MoveForm>(() => ({ quota: most >= least ? most : null }), [least, most]);
  return (
    <FormSheet
      open
      title={t("widgets.earningsMoveTitle")}
      description={t("widgets.earningsMoveHow", { most: showQuota(most, display) })}
      submitLabel={t("widgets.earningsMove")}
      schema={schema}
      values={values}
      onSubmit={async ({ quota }) => {
        await onMove(quota);
        const amount = showQuota(quota, display);
        toast({ tone: "success", title: t("widgets.earningsMoved", { amount }) });
      }}
      onClose={props.onClose}
    >
      <F.Custom name="quota" label={t("widgets.earningsAmount")} required>
        {(control) => <QuotaInput {...control} />}
      </F.Custom>
    </FormSheet>
  );
}
