import { moneyText, readMoney } from "@tollgate/contract/money/money.ts";
import type { AnyOrder } from "@tollgate/contract/endpoints/orders.ts";
import { useMemo } from "react";
import { z } from "zod";
import { showMoney } from "#display/money.ts";
import { useLanguage, useT } from "#i18n/t.ts";
import { Banner } from "#ui/feedback/Banner.tsx";
import { fieldsOf } from "#ui/form/fields.tsx";
import { FormSheet } from "#ui/form/FormSheet.tsx";
import { toast } from "#ui/overlays/toast.ts";
import { useRefundOrder } from "./orders.api.ts";

type RefundForm = { money: string; reason: string };

const F = fieldsOf<RefundForm>();

/** The longest reason, in characters. */
const reasonMax = 200;

/** Gives money of a paid order back, with a reason. */
export function RefundSheet({ order, onClose }: { order: AnyOrder; onClose: () => void }) {
  const t = useT();
  const language = useLanguage();
  const refund = useRefundOrder();
  const left = order.money - order.refunded;
  const most = showMoney(left, order.currency, language);
  const values = useMemo(
    () => ({ money: moneyText(left, order.currency), reason: "" }),
    [left, order.currency],
  );
  const schema = useMemo(
    () =>
      z.object({
        money: z
          .string()
          .trim()
          .transform((text) => readMoney(text, order.currency) ?? 0)
          .refine((money) => money >= 1 && money <= left, t("orders.refundRule", { most })),
        reason: z.string().trim().min(1, t("orders.reasonRequired")).max(reasonMax),
      }),
    [t, left, most, order.currency],
  );
  return (
    <FormSheet
      open
      title={t("orders.refundTitle")}
      description={order.number}
      submitLabel={t("orders.refund")}
      schema={schema}
      values={values}
      onSubmit={async ({ money, reason }) => {
        const { state } = await refund.mutateAsync({ id: order.id, money, reason });
        if (state === "done") toast({ tone: "success", title: t("orders.refundDone") });
        else if (state === "refused") toast({ tone: "danger", title: t("orders.refundRefused") });
        else toast({ tone: "info", title: t("orders.refundAsked") });
      }}
      onClose={onClose}
    >
      <Banner tone="warning" title={t("orders.refundWarning")} />
      <F.Text
        name="money"
        label={t("orders.refundMoney", { currency: order.currency.toUpperCase() })}
        required
      />
      <F.Textarea name="reason" label={t("orders.reason")} rows={3} required />
    </FormSheet>
  );
}
