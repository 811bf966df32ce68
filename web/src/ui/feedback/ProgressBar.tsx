import { classes } from "#ui/controls/classes.ts";
import { type Tone, toneSolid } from "#ui/tone.ts";

/**
 * A bar that shows how much of `max` is reached. `label` says what is measured; without it the text
 * beside the bar must.
 */
export function ProgressBar(props: {
  value: number;
  max: number;
  tone?: Tone | undefined;
  label?: string | undefined;
}) {
  const { value, max, tone = "accent", label } = props;
  const share = max <= 0 ? 0 : Math.min(1, Math.max(0, value / max));
  const named = label === undefined ? { "aria-hidden": true } : { "aria-label": label };
  return (
    <div
      {...named}
      role="progressbar"
      aria-valuenow={Math.round(share * 100)}
      aria-valuemin={0}
      aria-valuemax={100}
      className="h-1 w-full overflow-hidden rounded-full bg-active"
    >
      <div
        className={classes("h-full rounded-full", toneSolid[tone])}
        style={{ width: `${share * 100}%` }}
      />
    </div>
  );
}
