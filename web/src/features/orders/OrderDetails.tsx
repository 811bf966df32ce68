import type { OrderDetails as Order } from "@tollgate/contract/endpoints/orders.ts";
import { showMoney } from "#display/money.ts";
import { showTimeExactly } from "#display/time.ts";
import { type T, useLanguage, useT } from "#i18n/t.ts";
import { Button } from "#ui/controls/Button.tsx";
import { Badge } from "#ui/feedback/Badge.tsx";
import { ErrorState } from "#ui/feedback/ErrorState.tsx";
import { Muted } from "#ui/feedback/Muted.tsx";
import { Skeleton } from "#ui/feedback/Skeleton.tsx";
import { DescriptionList } from "#ui/layout/DescriptionList.tsx";
import { toastError } from "#ui/overlays/toast.ts";
import { QuotaText } from "#widgets/money/QuotaText.tsx";
import { sourceName, verdictName } from "./event-texts.ts";
import { useEndRefund, useOrder } from "./orders.api.ts";

/** The terms of an order, and everything that arrived about it. */
export function OrderDetails({ id }: { readonly id: number }) {
  const t = useT();
  const { data, error, refetch } = useOrder(id);
  if (data === undefined) {
    if (error === null) return <Skeleton height={120} />;
    return <ErrorState error={error} onRetry={() => void refetch()} />;
  }
  return (
    <div className="flex min-w-0 flex-col gap-4">
      <DescriptionList
        columns={3}
        items={[
          { label: t("orders.externalId"), value: data.external_id || "–" },
          { label: t("orders.unitPrice"), value: data.price },
          { label: t("orders.groupRatio"), value: data.group_ratio },
          { label: t("orders.discount"), value: data.discount },
          { label: t("orders.expires"), value: showTimeExactly(data.expires_at) },
          {
            label: t("orders.paidAt"),
            value: data.paid_at === 0 ? "–" : showTimeExactly(data.paid_at),
          },
        ]}
      />
      <Refunds order={data} />
      <div className="flex min-w-0 flex-col gap-2">
        <h2 className="text-sm font-medium">{t("orders.events")}</h2>
        {data.events.length === 0 && <Muted>{t("orders.noEvents")}</Muted>}
        {data.events.map((event) => (
          <div key={event.id} className="flex min-w-0 flex-col gap-1">
            <span className="flex flex-wrap items-center gap-2 text-xs">
              <time>{showTimeExactly(event.created_at)}</time>
              <Badge>{sourceName(event.source, t)}</Badge>
              <Badge tone={event.verdict === "credited" ? "success" : "neutral"}>
                {verdictName(event.verdict, t)}
              </Badge>
              <Muted>{event.client_ip}</Muted>
            </span>
            <code className="font-mono text-xs wrap-anywhere whitespace-pre-wrap">{event.raw}</code>
          </div>
        ))}
      </div>
    </div>
  );
}

/** The refunds of an order; one that nobody knows the end of is ended by hand. */
function Refunds({ order }: { readonly order: Order }) {
  const t = useT();
  const language = useLanguage();
  const { mutate: end, isPending } = useEndRefund();
  if (order.refunds.length === 0) return null;
  const finish = (refund: number, done: boolean) =>
    end({ id: order.id, refund, done }, { onError: toastError });
  return (
    <div className="flex min-w-0 flex-col gap-2">
      <h2 className="text-sm font-medium">{t("orders.refunds")}</h2>
      {order.refunds.map((refund) => (
        <div key={refund.id} className="flex min-w-0 flex-wrap items-center gap-2 text-sm">
          <strong className="tabular-nums">
            {showMoney(refund.money, order.currency, language)}
          </strong>
          <Badge tone={refund.state === "done" && refund.kind === "refund" ? "success" : "warning"}>
            {backName(refund, t)}
          </Badge>
          <Muted>{refund.reason}</Muted>
          {refund.owed > 0 && (
            <Badge tone="danger">
              {t("orders.refundOwed")} <QuotaText quota={refund.owed} />
            </Badge>
          )}
          {refund.state === "asked" && refund.kind === "refund" && (
            <>
              <Button size="sm" disabled={isPending} onClick={() => finish(refund.id, true)}>
                {t("orders.refundWasDone")}
              </Button>
              <Button size="sm" disabled={isPending} onClick={() => finish(refund.id, false)}>
                {t("orders.refundWasRefused")}
              </Button>
            </>
          )}
        </div>
      ))}
    </div>
  );
}

type Back = Order["refunds"][number];

/** Names the state of a refund or dispute. */
function backName({ kind, state }: Back, t: T): string {
  switch (state) {
    case "asked":
      return kind === "dispute" ? t("orders.disputeOpen") : t("orders.refundOpen");
    case "done":
      return kind === "dispute" ? t("orders.disputeLost") : t("orders.refundStateDone");
    case "refused":
      return kind === "dispute" ? t("orders.disputeWon") : t("orders.refundStateRefused");
  }
}
