/** Amounts of money: whole minor units (cents) of a currency, and their decimal text. */

/** Returns the number of decimal places of a currency's minor unit, such as 2 for `cny`. */
export function currencyDigits(currency: string): number {
  const format = new Intl.NumberFormat("en", { style: "currency", currency });
  return format.resolvedOptions().maximumFractionDigits ?? 2;
}

/** Writes minor units as decimal text without the currency: 730 `cny` is `7.30`. */
export function moneyText(minor: number, currency: string): string {
  const digits = currencyDigits(currency);
  const text = String(minor).padStart(digits + 1, "0");
  return digits === 0 ? text : `${text.slice(0, -digits)}.${text.slice(-digits)}`;
}

/** Reads decimal text as minor units; undefined: it is not an amount of this currency. */
export function readMoney(text: string, currency: string): number | undefined {
  const digits = currencyDigits(currency);
  const [, whole = "", part = ""] = /^(\d{1,13})(?:\.(\d{1,12}))?$/.exec(text) ?? [];
  if (whole === "" || /[1-9]/.test(part.slice(digits))) return undefined;
  return Number(whole + part.slice(0, digits).padEnd(digits, "0"));
}
