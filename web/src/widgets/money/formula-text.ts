/** The computation of a charge as one line of text: `(60 + 40 × 0.5 + 30 × 4) × 1.25 × 1 = 250`. */

import type { Formula } from "./BillingFormula.tsx";

export function formulaText(formula: Formula): string {
  const { exact, due, groupRatio } = formula;
  const ratio = groupDigits(groupRatio);
  const product =
    formula.kind === "call"
      ? `$${groupDigits(formula.dollars)} × ${groupDigits(formula.quotaPerUnit)}${timesText(formula)} × ${ratio}`
      : `${tokensText(formula)} × ${ratio}`;
  const rounded = exact === String(due) ? "" : ` ≈ ${groupDigits(String(due))}`;
  return `${product} = ${groupDigits(exact)}${rounded}`;
}

/**
 * Tokens relative to the model ratio are added first; those with a price of their own and what is
 * charged beside tokens have nothing to do with it.
 */
function tokensText(formula: Extract<Formula, { kind: "tokens" }>): string {
  const { extras, modelRatio, terms } = formula;
  const relative = terms.filter(({ isOwn }) => !isOwn);
  const own = terms.filter(({ isOwn }) => isOwn);
  const product = `${sumText(relative)} × ${groupDigits(modelRatio)}`;
  if (own.length + extras.length === 0) return product;
  const parts = [
    ...(relative.length === 0 ? [] : [product]),
    ...own.map(({ count, factor }) => `${groupDigits(String(count))} × ${groupDigits(factor)}`),
    ...extras.map(({ count, each }) => `${groupDigits(String(count))} × ${groupDigits(each)}`),
  ];
  return `(${parts.join(" + ")})`;
}

function timesText({ times }: Extract<Formula, { kind: "call" }>): string {
  return times
    .filter((factor) => factor !== "1")
    .map((factor) => ` × ${groupDigits(factor)}`)
    .join("");
}

function sumText(terms: readonly { count: number; factor: string }[]): string {
  if (terms.length === 0) return "0";
  const parts = terms.map(({ count, factor }) => {
    const tokens = groupDigits(String(count));
    return factor === "1" ? tokens : `${tokens} × ${groupDigits(factor)}`;
  });
  return parts.length === 1 && !parts[0]?.includes("×") ? parts.join("") : `(${parts.join(" + ")})`;
}

/** Adds thousands separators and keeps every digit: `1234567.5` → `1,234,567.5`. */
export function groupDigits(decimal: string): string {
  const [whole = "", part] = decimal.split(".");
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ",");
  return part === undefined ? grouped : `${grouped}.${part}`;
}
