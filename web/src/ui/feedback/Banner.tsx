import { CircleAlert, CircleCheck, Info, TriangleAlert } from "lucide-react";
import type { ReactNode } from "react";
import { classes } from "#ui/controls/classes.ts";
import { type Tone, toneInk, toneLine, toneSoft } from "#ui/tone.ts";

const icons: Readonly<Record<Tone, ReactNode>> = {
  neutral: <Info size={16} aria-hidden />,
  accent: <Info size={16} aria-hidden />,
  success: <CircleCheck size={16} aria-hidden />,
  fair: <Info size={16} aria-hidden />,
  warning: <TriangleAlert size={16} aria-hidden />,
  danger: <CircleAlert size={16} aria-hidden />,
  info: <Info size={16} aria-hidden />,
};

/** The icon that belongs to a tone. */
export function ToneIcon(props: { tone: Tone }) {
  return <span className={classes("flex shrink-0", toneInk[props.tone])}>{icons[props.tone]}</span>;
}

/**
 * A message about the whole page or form. Screen readers announce the tones danger and warning
 * immediately.
 */
export function Banner(props: {
  tone?: Tone | undefined;
  title: ReactNode;
  children?: ReactNode;
  action?: ReactNode;
}) {
  const { tone = "info", title, children, action } = props;
  const urgent = tone === "danger" || tone === "warning";
  return (
    <div
      role={urgent ? "alert" : "status"}
      className={classes(
        "flex w-full flex-wrap items-start gap-x-3 gap-y-2 rounded border px-3 py-2",
        toneSoft[tone],
        toneLine[tone],
      )}
    >
      {/* In a row of their own, so that only the action goes below where there is little room. */}
      <div className="flex min-w-0 flex-1 basis-63 items-start gap-x-3">
        <span className="flex h-5 shrink-0 items-center">{icons[tone]}</span>
        <div className="min-w-0 flex-1">
          <div className="font-medium wrap-anywhere">{title}</div>
          {children !== undefined && children !== null && (
            <div className="text-sm wrap-anywhere">{children}</div>
          )}
        </div>
      </div>
      {action}
    </div>
  );
}
