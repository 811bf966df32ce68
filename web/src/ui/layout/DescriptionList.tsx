import type { ReactNode } from "react";

/**
 * A list of facts about one thing, each with its label beside the value, or above it on narrow
 * screens.
 */
export function DescriptionList(props: {
  items: readonly { readonly label: ReactNode; readonly value: ReactNode }[];
  /** The number of facts side by side, where there is room. */
  columns?: 1 | 2 | 3 | undefined;
}) {
  const columns = { 1: "", 2: "md:grid-cols-2", 3: "md:grid-cols-2 xl:grid-cols-3" };
  return (
    <dl className={`grid gap-x-8 gap-y-2 text-sm ${columns[props.columns ?? 1]}`}>
      {props.items.map((item, index) => (
        // Two facts may have the same label, and their order never changes.
        // oxlint-disable-next-line react/no-array-index-key
        <div key={index} className="flex min-w-0 gap-3 max-sm:flex-col max-sm:gap-0">
          <dt className="w-28 shrink-0 text-muted">{item.label}</dt>
          <dd className="min-w-0 flex-1 wrap-anywhere tabular-nums">{item.value}</dd>
        </div>
      ))}
    </dl>
  );
}
