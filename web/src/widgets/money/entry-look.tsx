/**
 * How a ledger entry (a change of a balance) is shown. Screens that use this load the texts of
 * `entries`.
 */

import type { Entry } from "@tollgate/contract/entries.ts";
import { type TextKey, useT } from "#i18n/t.ts";
import { Badge } from "#ui/feedback/Badge.tsx";
import { Toned } from "#ui/feedback/Toned.tsx";
import type { Tone } from "#ui/tone.ts";
import { QuotaText } from "./QuotaText.tsx";

export function EntryKind({ kind }: { readonly kind: Entry["kind"] }) {
  const t = useT();
  return <Badge tone={tones[kind]}>{t(entryKinds[kind])}</Badge>;
}

/** Shows the amount of a ledger entry, with its sign; additions are coloured. */
export function EntryAmount({ amount }: { readonly amount: number }) {
  if (amount <= 0) return <QuotaText quota={amount} />;
  return (
    <Toned tone="success">
      +<QuotaText quota={amount} />
    </Toned>
  );
}

/** The texts that name the kinds of ledger entries. */
export const entryKinds = {
  admin_adjust: "entries.adjust",
  aff_transfer: "entries.transfer",
  dividend: "entries.dividend",
  invite: "entries.invite",
  payment_refund: "entries.paymentRefund",
  payment_restored: "entries.paymentRestored",
  redeem: "entries.redeem",
  refund: "entries.refund",
  reversal: "entries.reversal",
  settle: "entries.settle",
  task_charge: "entries.task",
  topup: "entries.topup",
} as const satisfies Readonly<Record<Entry["kind"], TextKey>>;

const tones: Readonly<Record<Entry["kind"], Tone>> = {
  admin_adjust: "info",
  aff_transfer: "success",
  dividend: "success",
  invite: "success",
  payment_refund: "warning",
  payment_restored: "success",
  redeem: "success",
  refund: "warning",
  reversal: "success",
  settle: "neutral",
  task_charge: "neutral",
  topup: "success",
};
