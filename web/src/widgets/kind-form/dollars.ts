import { showQuota } from "#display/quota.ts";

/**
 * Converts a typed number of quota units to dollars, to show beside it. Undefined: the text is not
 * a number of units.
 */
export function dollarsOf(text: string, quotaPerUnit: number): string | undefined {
  if (!/^\d{1,15}$/.test(text)) return undefined;
  return `= ${showQuota(Number(text), { quotaPerUnit, inCurrency: true })}`;
}
