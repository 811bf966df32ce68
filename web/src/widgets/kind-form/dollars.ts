import { showQuota } from "#display/quota.ts";

/** An amount of quota units in dollars, to be shown beside it; undefined: it is no amount yet. */
export function dollarsOf(text: string, quotaPerUnit: number): string | undefined {
  if (!/^\d{1,15}$/.test(text)) return undefined;
  return `= ${showQuota(Number(text), { quotaPerUnit, inCurrency: true })}`;
}
