/**
 * Validates the form that transfers invitation earnings to the balance. Amounts are in quota units.
 */

import { z } from "zod";
import { type QuotaDisplay, showQuota } from "#display/quota.ts";
import type { T } from "#i18n/t.ts";

export type TransferForm = { quota: number | null };

/**
 * Returns the smallest amount that the server transfers, in quota units: those of one US dollar.
 */
export function leastTransfer({ quotaPerUnit }: QuotaDisplay): number {
  return Math.max(1, Math.ceil(quotaPerUnit));
}

export function transferSchema(t: T, of: { earnings: number; display: QuotaDisplay }) {
  const { earnings, display } = of;
  const least = leastTransfer(display);
  return z.object({
    quota: z
      .custom<number | null>()
      .refine((quota) => quota !== null, t("account.transferMissing"))
      .refine((quota) => quota === null || !Number.isNaN(quota), t("account.transferUnreadable"))
      .refine(
        (quota) => quota === null || Number.isNaN(quota) || quota >= least,
        t("account.transferTooLittle", { minimum: showQuota(least, display) }),
      )
      .refine(
        (quota) => quota === null || !(quota > earnings),
        t("account.transferTooMuch", { earnings: showQuota(earnings, display) }),
      )
      // The value is never null here, because null was refused above; the fallback only satisfies
      // the type.
      .transform((quota) => quota ?? 0),
  });
}
