import { priceReasonMax } from "@tollgate/contract/endpoints/price-versions.ts";
import { useMemo } from "react";
import { z } from "zod";
import { useT } from "#i18n/t.ts";
import { fieldsOf } from "#ui/form/fields.tsx";
import { FormSheet } from "#ui/form/FormSheet.tsx";
import { toastSaved } from "#ui/overlays/toast.ts";
import { TryPricesHere } from "#widgets/price-preview/TryPrices.tsx";
import { Difference } from "./Difference.tsx";
import { useRollBack } from "./price-versions.api.ts";

type BackForm = { readonly reason: string };

const F = fieldsOf<BackForm>();

/** A sheet that goes back to a version, after it has shown what that changes. */
export function RollBackSheet({
  id,
  onClose,
}: {
  readonly id: number;
  readonly onClose: () => void;
}) {
  const t = useT();
  const { mutateAsync: rollBack } = useRollBack();
  const schema = useMemo(
    () =>
      z.object({
        reason: z
          .string()
          .trim()
          .max(priceReasonMax, t("priceVersions.reasonLong", { max: priceReasonMax })),
      }),
    [t],
  );
  return (
    <FormSheet<BackForm, BackForm>
      open
      width="lg"
      title={t("priceVersions.backTitle", { id })}
      description={t("priceVersions.backBody")}
      submitLabel={t("priceVersions.back")}
      schema={schema}
      values={{ reason: "" }}
      onSubmit={async ({ reason }) => {
        await rollBack({ id, reason });
        toastSaved(t("priceVersions.backDone", { id }));
      }}
      onClose={onClose}
    >
      <F.Text
        name="reason"
        label={t("priceVersions.reason")}
        help={t("priceVersions.reasonHelp")}
      />
      <Difference from={0} to={id} />
      <TryPricesHere tried={{ version: id }} />
    </FormSheet>
  );
}
