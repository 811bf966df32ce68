import { useTip } from "./TipArea.tsx";

/**
 * Text on one line, cut where there is no room; whole on hover and, by way of the table, on focus.
 * `max` in pixels: a column that does not grow is not made wider than that by it. `tip`: what the
 * text is short for, told whether it fits or not.
 */
export function CutText(props: {
  readonly children: string;
  readonly max?: number;
  readonly mono?: boolean;
  readonly tip?: string;
}) {
  const { children, max, mono = false, tip = children } = props;
  return (
    <span
      className={mono ? "block truncate font-mono text-xs" : "block truncate"}
      style={max === undefined ? undefined : { maxWidth: max }}
      {...(tip === children ? { "data-cut": "" } : {})}
      {...useTip(tip)}
    >
      {children}
    </span>
  );
}
