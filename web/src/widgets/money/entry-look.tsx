/**
 * How a ledger entry (a change of a balance) is shown. Screens that use this load the texts of
 * `entries`.
 */

import type { Entry } from "@tollgate/contract/endpoints/entries.ts";
import { type TextKey, useT } from "#i18n/t.ts";
import { Badge } from "#ui/feedback/Badge.tsx";
import { Toned } from "#ui/feedback/Toned.tsx";
import type { Tone } from "#ui/tone.ts";
import { showQuota } from "#display/quota.ts";
import { QuotaText } from "./QuotaText.tsx";
import { useQuotaDisplay } from "./use-quota-display.ts";

export function EntryKind({ kind }: { readonly kind: Entry["kind"] }) {
  const t = useT();
  return <Badge tone={tones[kind]}>{t(entryKinds[kind])}</Badge>;
}

/**
 * Shows the amount of a ledger entry, with its sign; additions are coloured. Below it stands by how
 * much the entry changed what the user owes, if it did.
 */
export function EntryAmount({ entry }: { readonly entry: Pick<Entry, "amount" | "debt"> }) {
  const { amount, debt } = entry;
  const change = amount <= 0 ? <QuotaText quota={amount} inFull /> : <Added amount={amount} />;
  if (debt === 0) return change;
  return (
    <span className="inline-flex flex-col items-end">
      {change}
      <DebtChange debt={debt} />
    </span>
  );
}

function Added({ amount }: { readonly amount: number }) {
  return (
    <Toned tone="success">
      +<QuotaText quota={amount} inFull />
    </Toned>
  );
}

function DebtChange({ debt }: { readonly debt: number }) {
  const t = useT();
  const amount = showQuota(Math.abs(debt), useQuotaDisplay());
  return (
    <span className="text-xs whitespace-nowrap">
      <Toned tone={debt > 0 ? "danger" : "success"}>
        {debt > 0 ? t("entries.debtMore", { amount }) : t("entries.debtLess", { amount })}
      </Toned>
    </span>
  );
}

/** The texts that name the kinds of ledger entries. */
export const entryKinds = {
  admin_adjust: "entries.adjust",
  aff_transfer: "entries.transfer",
  debt_paid: "entries.debtPaid",
  debt_waived: "entries.debtWaived",
  dividend: "entries.dividend",
  gift: "entries.gift",
  invite: "entries.invite",
  opening: "entries.opening",
  payment_refund: "entries.paymentRefund",
  payment_restored: "entries.paymentRestored",
  redeem: "entries.redeem",
  refund: "entries.refund",
  rerate: "entries.rerate",
  reversal: "entries.reversal",
  settle: "entries.settle",
  task_charge: "entries.task",
  topup: "entries.topup",
  transfer_in: "entries.transferIn",
  transfer_out: "entries.transferOut",
} as const satisfies Readonly<Record<Entry["kind"], TextKey>>;

const tones: Readonly<Record<Entry["kind"], Tone>> = {
  admin_adjust: "info",
  aff_transfer: "success",
  debt_paid: "warning",
  debt_waived: "success",
  dividend: "success",
  gift: "success",
  invite: "success",
  opening: "info",
  payment_refund: "warning",
  payment_restored: "success",
  redeem: "success",
  refund: "warning",
  rerate: "info",
  reversal: "success",
  settle: "neutral",
  task_charge: "neutral",
  topup: "success",
  transfer_in: "success",
  transfer_out: "info",
};
