import { useT } from "#i18n/t.ts";
import { Button } from "#ui/controls/Button.tsx";
import { Muted } from "#ui/feedback/Muted.tsx";
import { Skeleton } from "#ui/feedback/Skeleton.tsx";
import { FrontRoom } from "#ui/layout/Front.tsx";
import { ModelBadge } from "#widgets/models/ModelBadge.tsx";
import { BillingFormula } from "#widgets/money/BillingFormula.tsx";
import { chargeFormula } from "#widgets/money/charge-formula.ts";
import { useCharge } from "./home.api.ts";
import type { CallSource, PassedCall } from "./passed-call.ts";

/** Pixels of a formula with two terms, kept free so that the page does not move under a reader. */
const formulaHeight = 150;

/** How the charge of one call adds up; the formula is the one that charged it. */
export function CallReceipt({ source, call }: { source: CallSource; call: PassedCall }) {
  const t = useT();
  return (
    <FrontRoom labelledBy="bill" split="bill">
      <div className="flex min-w-0 flex-col items-start gap-2">
        <h2 id="bill" className="scroll-mt-4 text-xl font-semibold">
          {t("home.bill")}
        </h2>
        <ModelBadge model={call.model} />
        <p>
          <Muted>{t("home.billBody")}</Muted>
        </p>
        <p className="max-w-full font-mono text-xs break-all">
          <Muted>{call.id}</Muted>
        </p>
      </div>
      <div style={{ minHeight: formulaHeight }} className="min-w-0">
        <FormulaOf source={source} call={call} />
      </div>
    </FrontRoom>
  );
}

function FormulaOf({ source, call }: { source: CallSource; call: PassedCall }) {
  const t = useT();
  const { data, error, refetch } = useCharge(source, call);
  if (error !== null && data === undefined) {
    return (
      <div className="flex flex-wrap items-center gap-3">
        <Muted>{t("home.billFailed")}</Muted>
        <Button size="sm" onClick={() => void refetch()}>
          {t("home.retry")}
        </Button>
      </div>
    );
  }
  if (data === undefined) return <Skeleton height={120} />;
  const { usage, prices, write_off: writeOff } = data;
  const { model, group, quota: charged } = call;
  const formula =
    usage === null || prices === null
      ? null
      : chargeFormula({ model, group, usage, prices, charged, writeOff, isKept: true });
  return formula === null ? (
    <Muted>{t("home.billUnknown")}</Muted>
  ) : (
    <BillingFormula formula={formula} />
  );
}
