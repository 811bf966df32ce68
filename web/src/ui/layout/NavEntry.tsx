import type { ReactNode } from "react";
import { classes } from "#ui/controls/classes.ts";
import { Anchor, type LinkTarget } from "#ui/controls/Link.tsx";
import { Tooltip } from "#ui/overlays/Tooltip.tsx";

/** One line of a menu of screens. `folded`: only its icon, with the name as the tooltip. */
export function NavEntry(
  props: LinkTarget & {
    icon: ReactNode;
    label: string;
    current: boolean;
    folded?: boolean | undefined;
    onClick?: (() => void) | undefined;
  },
) {
  const { icon, label, current, folded = false, onClick, ...target } = props;
  const entry = (
    <Anchor
      {...target}
      {...(onClick === undefined ? {} : { onClick })}
      aria-current={current ? "page" : undefined}
      aria-label={folded ? label : undefined}
      className={classes(
        "flex h-control items-center gap-2.5 rounded",
        folded ? "justify-center" : "px-2.5",
        current ? "bg-active font-medium text-ink" : "text-muted hover:bg-hover hover:text-ink",
      )}
    >
      <span className="flex shrink-0">{icon}</span>
      {!folded && <span className="truncate">{label}</span>}
    </Anchor>
  );
  return folded ? <Tooltip content={label}>{entry}</Tooltip> : entry;
}

/** A few entries under a common name. */
export function NavGroup(props: { title: string | null; folded: boolean; children: ReactNode }) {
  const { title, folded, children } = props;
  return (
    <div className="flex flex-col gap-0.5">
      {title !== null &&
        (folded ? (
          <div className="mx-2 my-2 h-px bg-line" />
        ) : (
          <div className="px-2.5 pt-4 pb-1 text-xs text-muted">{title}</div>
        ))}
      {children}
    </div>
  );
}
