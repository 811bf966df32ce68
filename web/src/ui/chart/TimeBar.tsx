import { classes } from "#ui/controls/classes.ts";
import { type Tone, toneSolid } from "#ui/tone.ts";

/**
 * A bar of a waterfall: where in the whole something began, and how much of it that took, both between
 * 0 and 1. The text beside it says the same.
 */
export function TimeBar(props: {
  readonly start: number;
  readonly length: number;
  readonly tone?: Tone;
}) {
  const { start, length, tone = "accent" } = props;
  return (
    <div aria-hidden className="h-1.5 w-full overflow-hidden rounded-full bg-active">
      <div
        className={classes("h-full min-w-0.5 rounded-full", toneSolid[tone])}
        style={{ marginLeft: `${start * 100}%`, width: `${length * 100}%` }}
      />
    </div>
  );
}
