import "./receipt.css";
import type { Order } from "@tollgate/contract/endpoints/orders.ts";
import { Printer } from "lucide-react";
import { useState } from "react";
import { showMoney } from "#display/money.ts";
import { showTimeExactly } from "#display/time.ts";
import { useLanguage, useT } from "#i18n/t.ts";
import { Button } from "#ui/controls/Button.tsx";
import { Banner } from "#ui/feedback/Banner.tsx";
import { ErrorState } from "#ui/feedback/ErrorState.tsx";
import { FormOutline } from "#ui/feedback/outlines.tsx";
import { DescriptionList } from "#ui/layout/DescriptionList.tsx";
import { Dialog } from "#ui/overlays/Dialog.tsx";
import { toastError } from "#ui/overlays/toast.ts";
import { QuotaText } from "#widgets/money/QuotaText.tsx";
import { useStatus } from "#widgets/server/use-status.ts";
import { methodName, orderLook } from "#widgets/orders/order-texts.ts";
import { postForm } from "./post-form.ts";
import { useFollowedOrder, usePayAgain } from "./wallet.api.ts";

/** Follows an order until it is paid, and is its receipt then. */
export function OrderDialog(props: {
  readonly number: string;
  readonly onClose: () => void;
  readonly onTopUp: () => void;
}) {
  const t = useT();
  const [query] = useState(returnedQuery);
  const { data, error, refetch } = useFollowedOrder(props.number, query);
  const again = usePayAgain();

  async function pay() {
    // The tab is opened by the click itself, because browsers block one that opens later.
    const tab = window.open("", "_blank");
    try {
      const { url, fields } = await again.mutateAsync(props.number);
      postForm(url, fields, tab);
    } catch (error) {
      tab?.close();
      toastError(error);
      void refetch();
    }
  }

  function footerOf(state: Order["state"]) {
    switch (state) {
      case "paid":
        return (
          <Button icon={<Printer size={16} aria-hidden />} onClick={() => window.print()}>
            {t("wallet.print")}
          </Button>
        );
      case "failed":
      case "expired":
        return <Button onClick={props.onTopUp}>{t("wallet.again")}</Button>;
      case "pending":
        return (
          <Button variant="primary" loading={again.isPending} onClick={() => void pay()}>
            {t("wallet.payThis")}
          </Button>
        );
    }
  }

  return (
    <Dialog
      open
      onClose={props.onClose}
      title={data?.state === "paid" ? t("wallet.receipt") : t("wallet.order")}
      footer={data === undefined ? undefined : footerOf(data.state)}
    >
      {data === undefined && error === null && <FormOutline fields={3} />}
      {data === undefined && error !== null && (
        <ErrorState error={error} onRetry={() => void refetch()} />
      )}
      {data !== undefined && <Receipt order={data} />}
    </Dialog>
  );
}

function Receipt({ order }: { readonly order: Order }) {
  const t = useT();
  const language = useLanguage();
  const status = useStatus();
  return (
    <div data-receipt className="flex flex-col gap-4">
      <div aria-live="polite">
        <OrderBanner order={order} />
      </div>
      <DescriptionList
        items={[
          { label: t("wallet.receiptFrom"), value: status?.system_name ?? "" },
          { label: t("wallet.number"), value: order.number },
          { label: t("wallet.state"), value: orderLook(order, t).text },
          {
            label: t("wallet.time"),
            value: showTimeExactly(order.paid_at === 0 ? order.created_at : order.paid_at),
          },
          {
            label: order.state === "paid" ? t("wallet.money") : t("wallet.price"),
            value: showMoney(order.money, order.currency, language),
          },
          { label: t("wallet.quota"), value: <QuotaText quota={order.quota} /> },
          { label: t("wallet.method"), value: methodName(order.method, t) },
        ]}
      />
    </div>
  );
}

function OrderBanner({ order }: { readonly order: Order }) {
  const t = useT();
  const language = useLanguage();
  if (order.refunded > 0) {
    const money = showMoney(order.refunded, order.currency, language);
    return <Banner tone="warning" title={t("wallet.refunded", { money })} />;
  }
  if (order.state === "paid") {
    return <Banner tone="success" title={order.late ? t("wallet.paidLate") : t("wallet.paid")} />;
  }
  if (order.state === "failed") return <Banner tone="danger" title={t("wallet.failed")} />;
  if (order.state === "expired") return <Banner tone="warning" title={t("wallet.expired")} />;
  return (
    <Banner title={t("wallet.waiting")}>
      {t("wallet.waitingUntil", { time: showTimeExactly(order.expires_at) })}
    </Banner>
  );
}

/**
 * The query that a processor added to the address when it sent the browser back, without our own
 * parameters; empty: the browser did not come from a processor.
 */
function returnedQuery(): string {
  const query = new URLSearchParams(location.search);
  if (!query.has("sign")) return "";
  for (const name of ["order", "tab"]) query.delete(name);
  return query.toString();
}
