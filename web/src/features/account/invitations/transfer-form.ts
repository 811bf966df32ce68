/** The form that transfers earnings to the balance. Amounts are quota units. */

import { z } from "zod";
import { type QuotaDisplay, showQuota } from "#display/quota.ts";
import type { T } from "#i18n/t.ts";

export type TransferForm = { quota: number | null };

/** The least amount the server transfers: a US dollar. */
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
      // `quota` is undefined only for values that were refused above.
      .transform((quota) => quota ?? 0),
  });
}
