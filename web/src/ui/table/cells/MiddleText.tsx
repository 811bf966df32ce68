/** Letters at the end that are always seen: a date such as `20250929` tells models apart. */
const tailLetters = 8;

/** A shorter text is never so long that it must be cut where cells are 160 px wide. */
const cutFrom = 20;

/** Text on one line whose middle is cut if it does not fit, for names that differ at their end. */
export function MiddleText({ children }: { readonly children: string }) {
  if (children.length < cutFrom) return children;
  return (
    <span data-middle="" className="flex min-w-0 whitespace-nowrap">
      <span className="truncate">{children.slice(0, -tailLetters)}</span>
      <span className="shrink-0">{children.slice(-tailLetters)}</span>
    </span>
  );
}
