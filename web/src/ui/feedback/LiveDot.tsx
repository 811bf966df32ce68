import { classes } from "#ui/controls/classes.ts";
import { type Tone, toneSolid } from "#ui/tone.ts";

/** A pulsing dot that marks something as live; the text beside it must say what is live. */
export function LiveDot(props: { tone?: Tone | undefined; still?: boolean | undefined }) {
  const { tone = "success", still = false } = props;
  return (
    <span aria-hidden className="relative inline-flex size-2 shrink-0">
      {!still && (
        <span
          className={classes(
            "absolute inset-0 animate-ping rounded-full opacity-60 motion-reduce:hidden",
            toneSolid[tone],
          )}
        />
      )}
      <span className={classes("relative size-2 rounded-full", toneSolid[tone])} />
    </span>
  );
}
