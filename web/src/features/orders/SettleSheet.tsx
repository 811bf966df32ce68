import type { AnyOrder } from "@tollgate/contract/endpoints/orders.ts";
import { useMemo } from "react";
import { z } from "zod";
import { showMoney } from "#display/money.ts";
import { useLanguage, useT } from "#i18n/t.ts";
import { Banner } from "#ui/feedback/Banner.tsx";
import { fieldsOf } from "#ui/form/fields.tsx";
import { FormSheet } from "#ui/form/FormSheet.tsx";
import { toastSaved } from "#ui/overlays/toast.ts";
import { useSettleOrder } from "./orders.api.ts";

type SettleForm = { reason: string };

const F = fieldsOf<SettleForm>();
const values: SettleForm = { reason: "" };

/** The longest reason, in characters. */
const reasonMax = 200;

/** Credits an order by hand, with a reason. */
export function SettleSheet({ order, onClose }: { order: AnyOrder; onClose: () => void }) {
  const t = useT();
  const language = useLanguage();
  const settle = useSettleOrder();
  const schema = useMemo(
    () => z.object({ reason: z.string().trim().min(1, t("orders.reasonRequired")).max(reasonMax) }),
    [t],
  );
  const money = showMoney(order.money, order.currency, language);
  return (
    <FormSheet
      open
      title={t("orders.settleTitle")}
      description={order.number}
      submitLabel={t("orders.settle")}
      schema={schema}
      values={values}
      onSubmit={async ({ reason }) => {
        await settle.mutateAsync({ id: order.id, reason });
        toastSaved(t("orders.settled"));
      }}
      onClose={onClose}
    >
      <Banner tone="warning" title={t("orders.settleWarning", { money })} />
      <F.Textarea name="reason" label={t("orders.reason")} rows={3} required />
    </FormSheet>
  );
}
