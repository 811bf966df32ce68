import type { ReactNode } from "react";
import { classes } from "#ui/controls/classes.ts";
import { SidePlace } from "./SidePlace.tsx";

/**
 * The frame around every screen: a bar at the top, a menu at the side (not on phones), and the area
 * of the screen, the only part that scrolls.
 */
export function AppFrame(props: {
  bar: ReactNode;
  /** The side menu; null: this screen has none. */
  menu: ReactNode | null;
  menuFolded?: boolean | undefined;
  /** Shown above the screen, over its full width. */
  notice?: ReactNode;
  footer?: ReactNode;
  /** The text of a link for keyboard users that skips the bar and the menu. */
  skipLabel: string;
  children: ReactNode;
}) {
  return (
    <div className="flex h-dvh flex-col">
      <a
        href="#main"
        className="fixed top-2 left-2 z-50 -translate-y-20 rounded border border-line bg-panel px-3 py-2 focus:translate-y-0"
      >
        {props.skipLabel}
      </a>
      <header className="flex h-12 shrink-0 items-center gap-1 border-b border-line bg-page px-4 max-md:px-2">
        {props.bar}
      </header>
      {props.notice}
      <div className="relative flex min-h-0 flex-1">
        {props.menu !== null && (
          <div
            className={classes(
              "flex shrink-0 flex-col overflow-y-auto border-r border-line bg-sunken max-md:hidden",
              props.menuFolded === true ? "w-14" : "w-52",
            )}
          >
            {props.menu}
          </div>
        )}
        <main
          id="main"
          tabIndex={-1}
          data-scroll-restoration-id="main"
          // `relative` makes texts that only screen readers see scroll with this element; otherwise
          // they would make the page itself scroll.
          className="relative [scrollbar-gutter:stable] flex min-w-0 flex-1 flex-col overflow-x-hidden overflow-y-auto outline-none"
        >
          <div className="flex-1">{props.children}</div>
          {props.footer}
        </main>
        <SidePlace />
      </div>
    </div>
  );
}
