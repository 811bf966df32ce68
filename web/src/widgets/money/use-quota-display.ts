import { useMemo } from "react";
import type { QuotaDisplay } from "#display/quota.ts";
import { useStatus } from "#widgets/server/use-status.ts";

/** The specification's default, used until the server's status has been read. */
const quotaPerUnitDefault = 500_000;

/** Returns how this server shows quota: in dollars or units, and how many units a dollar has. */
export function useQuotaDisplay(): QuotaDisplay {
  const status = useStatus();
  const quotaPerUnit = status?.quota_per_unit ?? quotaPerUnitDefault;
  const inCurrency = status?.display_in_currency ?? true;
  return useMemo(() => ({ quotaPerUnit, inCurrency }), [quotaPerUnit, inCurrency]);
}
