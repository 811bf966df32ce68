/**
 * The number of characters at the end that are never cut: a date such as `20250929` tells models
 * apart.
 */
const tailLetters = 8;

/**
 * A text with fewer characters is never cut, because it fits into the narrowest cell, which is 160
 * px wide.
 */
const cutFrom = 20;

/**
 * Shows text on one line, cut in the middle if it does not fit, for names that differ at their end.
 */
export function MiddleText({ children }: { readonly children: string }) {
  if (children.length < cutFrom) return children;
  return (
    <span data-middle="" className="flex min-w-0 whitespace-nowrap">
      <span className="truncate">{children.slice(0, -tailLetters)}</span>
      <span className="shrink-0">{children.slice(-tailLetters)}</span>
    </span>
  );
}
