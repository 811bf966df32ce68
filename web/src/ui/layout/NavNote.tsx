import type { ReactNode } from "react";
import { classes } from "#ui/controls/classes.ts";
import { Anchor, type LinkTarget } from "#ui/controls/Link.tsx";
import { Tooltip } from "#ui/overlays/Tooltip.tsx";

/**
 * A figure at the foot of the side menu, with a second line below. `folded`: shows only the icon.
 */
export function NavNote(
  props: LinkTarget & {
    icon: ReactNode;
    title: string;
    /** The second line; null: its value is not known yet. */
    detail: string | null;
    /** The full text of both lines, for the tooltip and, if `folded`, for screen readers. */
    told: string;
    folded: boolean;
    onClick?: (() => void) | undefined;
  },
) {
  const { icon, title, detail, told, folded, onClick, ...target } = props;
  return (
    <Tooltip content={told}>
      <Anchor
        {...target}
        {...(onClick === undefined ? {} : { onClick })}
        aria-label={folded ? told : undefined}
        className={classes(
          "mx-2 flex min-h-control items-center gap-2.5 rounded px-2.5 text-muted hover:bg-hover",
          folded ? "justify-center" : "py-1.5",
        )}
      >
        <span className="flex shrink-0">{icon}</span>
        {!folded && (
          <span className="flex min-w-0 flex-col leading-tight tabular-nums">
            <span className="truncate font-medium text-ink">{title}</span>
            {detail !== null && <span className="truncate text-sm">{detail}</span>}
          </span>
        )}
      </Anchor>
    </Tooltip>
  );
}

/** The foot of the side menu, below its entries. */
export function NavFoot(props: { label: string; children: ReactNode }) {
  return (
    <section aria-label={props.label} className="shrink-0 border-t border-line pt-2">
      {props.children}
    </section>
  );
}
