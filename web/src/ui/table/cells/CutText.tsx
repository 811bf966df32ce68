import { MiddleText } from "./MiddleText.tsx";
import { useTip } from "./TipArea.tsx";

/**
 * Shows text on one line, cut if it does not fit; hovering or focusing shows the full text. `max`:
 * pixels beyond which the text does not widen its column. `tip`: a longer text for the tooltip,
 * which then shows even if the text fits.
 */
export function CutText(props: {
  readonly children: string;
  readonly max?: number;
  readonly mono?: boolean;
  readonly tip?: string;
  /** `middle`: the text is cut in the middle; by default it is cut at the end. */
  readonly at?: "middle";
}) {
  const { children, max, mono = false, tip = children, at } = props;
  return (
    <span
      // The browser detects the direction of the script, because users type names in any script.
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
