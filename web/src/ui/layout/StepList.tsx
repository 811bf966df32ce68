import { Circle, CircleCheck } from "lucide-react";
import { type ReactNode, useId } from "react";
import { classes } from "#ui/controls/classes.ts";

/** A numbered list of steps, each of which is done or not. */
export function StepList(props: { "aria-label": string; children: ReactNode }) {
  return (
    <ol
      aria-label={props["aria-label"]}
      className="flex min-w-0 flex-col divide-y divide-line rounded border border-line bg-panel"
    >
      {props.children}
    </ol>
  );
}

/**
 * One step: a mark that says whether it is done, what to do or what was done, and the buttons. The
 * body is below them, for a step that is carried out in its place.
 */
export function Step(props: {
  title: string;
  /** The level of the title among the headings of the page; 3 within a section. */
  level?: 2 | 3 | undefined;
  /** What the mark says, for screen readers. */
  state: string;
  done: boolean;
  /** Whether this is the step to do next. */
  current?: boolean | undefined;
  /** One sentence: what to do and why; of a finished step, the fact. */
  text: ReactNode;
  actions?: ReactNode;
  children?: ReactNode;
}) {
  const { title, level = 3, state, done, current = false, text, actions, children } = props;
  const titleId = useId();
  const Heading = level === 2 ? "h2" : "h3";
  return (
    <li
      aria-labelledby={titleId}
      aria-current={current ? "step" : undefined}
      className={classes("flex min-w-0 gap-3 p-4", current && "bg-sunken")}
    >
      <span
        role="img"
        aria-label={state}
        className={classes(
          "mt-0.5 shrink-0",
          done ? "text-success-ink" : current ? "text-accent-ink" : "text-faint",
        )}
      >
        {done ? <CircleCheck size={18} aria-hidden /> : <Circle size={18} aria-hidden />}
      </span>
      <div className="flex min-w-0 flex-1 flex-col gap-3">
        <div className="flex min-w-0 flex-wrap items-start justify-between gap-x-6 gap-y-2">
          <div className="min-w-0 flex-1 basis-72">
            <Heading id={titleId} className="font-medium">
              {title}
            </Heading>
            <div className="mt-0.5 text-sm wrap-anywhere text-muted">{text}</div>
          </div>
          {actions !== undefined && actions !== null && (
            <div className="flex flex-wrap items-center gap-2">{actions}</div>
          )}
        </div>
        {children}
      </div>
    </li>
  );
}
