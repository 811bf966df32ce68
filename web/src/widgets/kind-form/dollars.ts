import { showQuota } from "#display/quota.ts";

/** The dollars of an amount of quota units, to show beside it; undefined: the text is no amount. */
export function dollarsOf(text: string, quotaPerUnit: number): string | undefined {
  if (!/^\d{1,15}$/.test(text)) return undefined;
  return `= ${showQuota(Number(text), { quotaPerUnit, inCurrency: true })}`;
}
