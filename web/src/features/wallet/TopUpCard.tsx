import { useState } from "react";
import { useT, useLanguage } from "#i18n/t.ts";
import { Button } from "#ui/controls/Button.tsx";
import { NumberInput } from "#ui/controls/NumberInput.tsx";
import { Segmented } from "#ui/controls/Segmented.tsx";
import { Badge } from "#ui/feedback/Badge.tsx";
import { Banner } from "#ui/feedback/Banner.tsx";
import { ErrorState } from "#ui/feedback/ErrorState.tsx";
import { Muted } from "#ui/feedback/Muted.tsx";
import { FormOutline } from "#ui/feedback/outlines.tsx";
import { Toned } from "#ui/feedback/Toned.tsx";
import { FieldFrame } from "#ui/form/FieldFrame.tsx";
import { Card } from "#ui/layout/Card.tsx";
import { toastError } from "#ui/overlays/toast.ts";
import { describeError } from "#ui/feedback/describe-error.ts";
import { showMoney } from "#display/money.ts";
import { readMoney } from "@tollgate/contract/money/money.ts";
import { useQuotaDisplay } from "#widgets/money/use-quota-display.ts";
import { showQuota } from "#display/quota.ts";
import { methodName } from "#widgets/orders/order-texts.ts";
import { postForm } from "./post-form.ts";
import { useOwnAccount, usePrice, useStartOrder, useTopUpInfo } from "./wallet.api.ts";

type Info = NonNullable<ReturnType<typeof useTopUpInfo>["data"]>;

/** Buys quota: an amount, its price, and the way to pay. */
export function TopUpCard(props: { readonly onStarted: (order: string) => void }) {
  const t = useT();
  const info = useTopUpInfo();
  const account = useOwnAccount();
  return (
    <Card title={t("wallet.payTitle")}>
      {info.data === undefined && info.error === null && <FormOutline fields={3} />}
      {info.data === undefined && info.error !== null && (
        <ErrorState error={info.error} onRetry={() => void info.refetch()} />
      )}
      {info.data?.methods.length === 0 && <Banner title={t("wallet.payOff")} />}
      {info.data !== undefined && info.data.methods.length > 0 && (
        <PayForm key={account.data?.id} info={info.data} onStarted={props.onStarted} />
      )}
    </Card>
  );
}

function PayForm(props: { readonly info: Info; readonly onStarted: (order: string) => void }) {
  const { info } = props;
  const t = useT();
  const display = useQuotaDisplay();
  const [amount, setAmount] = useState<number | null>(info.min_amount);
  const [chosen, setChosen] = useState(info.methods[0]?.id ?? "");
  const start = useStartOrder();
  const method = info.methods.find(({ id }) => id === chosen);
  const fault = amountFault();
  const price = usePrice(fault === undefined ? amount : null, method?.id ?? "");
  // Nobody pays a price that was not shown.
  const isReady = fault === undefined && price.data !== undefined && price.error === null;

  function amountFault(): string | undefined {
    if (amount === null || !Number.isSafeInteger(amount)) return t("wallet.amountRule");
    if (amount < info.min_amount) return t("wallet.amountTooSmall", { min: info.min_amount });
    const max = info.max_amount;
    return max > 0 && amount > max ? t("wallet.amountTooLarge", { max }) : undefined;
  }

  async function pay() {
    if (!isReady || amount === null || method === undefined) return;
    // The tab is opened by the click itself, because browsers block one that opens later.
    const tab = window.open("", "_blank");
    try {
      const asked = { amount, method: method.id, processor: method.processor };
      const { url, fields, order } = await start.mutateAsync(asked);
      postForm(url, fields, tab);
      props.onStarted(order);
    } catch (error) {
      tab?.close();
      toastError(error);
    }
  }

  return (
    <div className="flex flex-col gap-4">
      <FieldFrame
        name="amount"
        label={display.inCurrency ? t("wallet.amountDollars") : t("wallet.amountUnits")}
        error={fault}
      >
        {(control) => <NumberInput {...control} value={amount} onChange={setAmount} min={1} />}
      </FieldFrame>
      <Presets info={info} chosen={amount} onChoose={setAmount} />
      <Methods info={info} chosen={chosen} onChoose={setChosen} />
      <div className="flex flex-wrap items-center justify-between gap-3">
        {fault === undefined && method !== undefined ? (
          <Price price={price} currency={method.currency} />
        ) : (
          <span />
        )}
        <Button
          variant="primary"
          disabled={!isReady}
          loading={start.isPending}
          onClick={() => void pay()}
        >
          {t("wallet.pay")}
        </Button>
      </div>
    </div>
  );
}

function Presets(props: {
  readonly info: Info;
  readonly chosen: number | null;
  readonly onChoose: (amount: number) => void;
}) {
  const t = useT();
  const display = useQuotaDisplay();
  if (props.info.presets.length === 0) return null;
  return (
    <div role="group" aria-label={t("wallet.presets")} className="flex flex-wrap gap-1.5">
      {props.info.presets.map(({ amount, discount }) => (
        <Button
          key={amount}
          size="sm"
          variant={amount === props.chosen ? "ghost" : "default"}
          aria-pressed={amount === props.chosen}
          onClick={() => props.onChoose(amount)}
        >
          {display.inCurrency ? `$${amount}` : showQuota(amount, display)}
          {Number(discount) < 1 && (
            <Badge tone="success">
              {t("wallet.off", { percent: Number(((1 - Number(discount)) * 100).toFixed(2)) })}
            </Badge>
          )}
        </Button>
      ))}
    </div>
  );
}

function Methods(props: {
  readonly info: Info;
  readonly chosen: string;
  readonly onChoose: (method: string) => void;
}) {
  const t = useT();
  return (
    <div className="flex flex-col gap-1.5">
      <span className="text-sm font-medium">{t("wallet.method")}</span>
      <Segmented
        aria-label={t("wallet.method")}
        items={props.info.methods.map(({ id }) => ({ value: id, label: methodName(id, t) }))}
        value={props.chosen}
        onChange={props.onChoose}
      />
    </div>
  );
}

function Price(props: { readonly price: ReturnType<typeof usePrice>; readonly currency: string }) {
  const { price, currency } = props;
  const t = useT();
  const language = useLanguage();
  if (price.error !== null) {
    return (
      <span role="alert" className="flex flex-wrap items-center gap-2 text-sm">
        <Toned tone="danger">{describeError(price.error).title}</Toned>
        <Button size="sm" loading={price.isFetching} onClick={() => void price.refetch()}>
          {t("ui.retry")}
        </Button>
      </span>
    );
  }
  const minor = readMoney(price.data ?? "", currency);
  return (
    <span aria-live="polite">
      <Muted>{t("wallet.price")}</Muted>{" "}
      <strong className="text-lg tabular-nums">
        {minor === undefined ? "…" : showMoney(minor, currency, language)}
      </strong>
    </span>
  );
}
