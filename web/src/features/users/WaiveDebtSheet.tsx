import type { AdminUser } from "@tollgate/contract/endpoints/users.ts";
import { useMemo } from "react";
import { z } from "zod";
import { showQuota } from "#display/quota.ts";
import { useT } from "#i18n/t.ts";
import { Banner } from "#ui/feedback/Banner.tsx";
import { fieldsOf } from "#ui/form/fields.tsx";
import { FormSheet } from "#ui/form/FormSheet.tsx";
import { toastSaved } from "#ui/overlays/toast.ts";
import { quotaReasonMax } from "@tollgate/contract/endpoints/user-admin.ts";
import { useQuotaDisplay } from "#widgets/money/use-quota-display.ts";
import { useUser, useWaiveDebt } from "./users.api.ts";

type WaiveForm = { reason: string };

const F = fieldsOf<WaiveForm>();
const values: WaiveForm = { reason: "" };

/** Waives what a user owes, with a reason. */
export function WaiveDebtSheet(props: {
  id: number;
  /** The row of the list, if it shows the user. */
  user: AdminUser | undefined;
  onClose: () => void;
}) {
  const { id, onClose } = props;
  const t = useT();
  const display = useQuotaDisplay();
  const found = useUser(props.user === undefined ? id : null);
  const user = props.user ?? found.data;
  const waive = useWaiveDebt();
  const schema = useMemo(
    () =>
      z.object({
        reason: z.string().trim().min(1, t("users.waiveReasonRequired")).max(quotaReasonMax),
      }),
    [t],
  );
  const amount = user === undefined ? "…" : showQuota(user.debt, display);
  return (
    <FormSheet
      open
      title={t("users.waiveTitle")}
      description={user?.username ?? `#${id}`}
      submitLabel={t("users.waive")}
      schema={schema}
      values={values}
      onSubmit={async ({ reason }) => {
        await waive.mutateAsync({ id, reason });
        toastSaved(t("users.waived"));
      }}
      onClose={onClose}
    >
      <Banner tone="warning" title={t("users.waiveWarning", { amount })} />
      <F.Textarea name="reason" label={t("users.waiveReason")} rows={3} required />
    </FormSheet>
  );
}
