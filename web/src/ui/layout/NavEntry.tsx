import { ChevronRight } from "lucide-react";
import type { ReactNode } from "react";
import { classes } from "#ui/controls/classes.ts";
import { Anchor, type LinkTarget } from "#ui/controls/Link.tsx";
import { Tooltip } from "#ui/overlays/Tooltip.tsx";

/** An entry of the side menu. `folded`: shows only the icon, with the entry's name as tooltip. */
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

/**
 * A group of menu entries; a click on its name folds the group. `folded`: the whole menu is narrow,
 * so a line replaces the name, except above the first group.
 */
export function NavGroup(props: {
  title: string;
  folded: boolean;
  first: boolean;
  open: boolean;
  onOpen: (open: boolean) => void;
  /** Buttons beside the group's name, shown when the pointer or the focus is there. */
  actions?: ReactNode;
  children: ReactNode;
}) {
  const { title, folded, first, open, onOpen, actions, children } = props;
  if (folded) {
    return (
      <div className="flex flex-col gap-0.5">
        {!first && <div className="mx-2 my-2 h-px bg-line" />}
        {children}
      </div>
    );
  }
  return (
    <div className="group/nav flex flex-col gap-0.5 pb-3">
      <div className="flex h-control-small items-center gap-1">
        <button
          type="button"
          aria-expanded={open}
          onClick={() => onOpen(!open)}
          className="flex h-full min-w-0 flex-1 items-center gap-1 rounded px-2.5 text-xs text-muted hover:text-ink"
        >
          <span className="truncate">{title}</span>
          <ChevronRight
            size={12}
            aria-hidden
            className={classes("shrink-0", open ? "rotate-90" : "")}
          />
        </button>
        {actions !== undefined && (
          <span className="opacity-0 group-focus-within/nav:opacity-100 group-hover/nav:opacity-100 has-data-popup-open:opacity-100 pointer-coarse:opacity-100">
            {actions}
          </span>
        )}
      </div>
      {children}
    </div>
  );
}
