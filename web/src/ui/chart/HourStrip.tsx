import { classes } from "#ui/controls/classes.ts";
import { type Tone, toneSolid } from "#ui/tone.ts";

type StripHour = {
  readonly id: number;
  readonly tone: Tone;
  /** What the hour was like, in words. */
  readonly text: string;
  /** Half the height: nothing happened in it. */
  readonly low: boolean;
};

/** A row of small bars, one for each hour; each says in words what it stands for. */
export function HourStrip(props: { readonly label: string; readonly hours: readonly StripHour[] }) {
  return (
    <ol aria-label={props.label} className="flex h-6 items-end gap-0.5">
      {props.hours.map(({ id, tone, text, low }) => (
        <li key={id} title={text} className="flex h-full min-w-0 flex-1 items-end">
          <span className="sr-only">{text}</span>
          <span
            aria-hidden
            className={classes(
              "w-full rounded-inner",
              low ? "h-1/4 bg-active" : classes("h-full", toneSolid[tone]),
            )}
          />
        </li>
      ))}
    </ol>
  );
}
