import { classes } from "#ui/controls/classes.ts";

/** The radius that makes the circle 100 long, so that a share is a length. */
const radius = 100 / (2 * Math.PI);

/**
 * A small ring that shows how much of `max` is reached. Decoration only: the text beside it must
 * say the same.
 */
export function ProgressRing(props: { value: number; max: number }) {
  const { value, max } = props;
  const share = max <= 0 ? 0 : Math.min(1, Math.max(0, value / max));
  const circle = { cx: 20, cy: 20, r: radius, fill: "none", strokeWidth: 5 };
  return (
    <svg aria-hidden viewBox="0 0 40 40" className="size-4 shrink-0 -rotate-90">
      <circle {...circle} className="stroke-control" />
      <circle
        {...circle}
        strokeDasharray={`${share * 100} 100`}
        className={classes(share === 1 ? "stroke-success-solid" : "stroke-accent-solid")}
      />
    </svg>
  );
}
