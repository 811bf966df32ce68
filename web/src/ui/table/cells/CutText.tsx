import { MiddleText } from "./MiddleText.tsx";
import { useTip } from "./TipArea.tsx";

/**
 * Text on one line, cut if it does not fit; whole on hover and on focus. `max` in pixels: the text
 * does not widen a column beyond it. `tip`: the long form of the text, shown even if it fits.
 */
export function CutText(props: {
  readonly children: string;
  readonly max?: number;
  readonly mono?: boolean;
  readonly tip?: string;
  /** Where the text is cut; at the end by default. */
  readonly at?: "middle";
}) {
  const { children, max, mono = false, tip = children, at } = props;
  return (
    <span
      // People type names in any script.
      dir="auto"
      className={mono ? "block truncate font-mono text-xs" : "block truncate"}
      style={max === undefined ? undefined : { maxWidth: max }}
      {...(tip === children ? { "data-cut": "" } : {})}
      {...useTip(tip)}
    >
      {at === "middle" ? <MiddleText>{children}</MiddleText> : children}
    </span>
  );
}
