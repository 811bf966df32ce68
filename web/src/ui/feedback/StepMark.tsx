import { Check } from "lucide-react";

/** The number of a step, or a tick once the step is done; `doneLabel` says so to screen readers. */
export function StepMark(props: { number: number; isDone: boolean; doneLabel: string }) {
  const { number, isDone, doneLabel } = props;
  return isDone ? (
    <span className="inline-flex size-control-small shrink-0 items-center justify-center rounded-full bg-success-solid text-on-solid">
      <Check size={16} strokeWidth={3} aria-label={doneLabel} />
    </span>
  ) : (
    <span
      aria-hidden
      className="inline-flex size-control-small shrink-0 items-center justify-center rounded-full border border-control text-sm font-semibold tabular-nums"
    >
      {number}
    </span>
  );
}
