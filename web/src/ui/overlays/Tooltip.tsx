import { Tooltip as Base } from "@base-ui/react/tooltip";
import type { ReactElement, ReactNode } from "react";

/** All tooltips share one popup, drawn by `TooltipHost`, because tables have many. */
const shared = Base.createHandle<ReactNode>();

/**
 * A short explanation of a focusable element. The same information is always available elsewhere,
 * too.
 */
export function Tooltip(props: {
  content: ReactNode;
  children: ReactElement<Record<string, unknown>>;
}) {
  return <Base.Trigger handle={shared} payload={props.content} render={props.children} />;
}

/** Used once in the page, see `KitRoot`. */
export function TooltipHost(props: { children: ReactNode }) {
  return (
    <Base.Provider delay={400} closeDelay={0}>
      {props.children}
      <Base.Root handle={shared}>
        {({ payload }) => (
          <Base.Portal>
            <Base.Positioner sideOffset={6} collisionPadding={8} className="z-50">
              {payload !== undefined && payload !== null && payload !== "" && (
                <Base.Popup className="max-w-80 rounded bg-ink px-2 py-1 text-xs wrap-anywhere whitespace-pre-line text-page">
                  {payload}
                </Base.Popup>
              )}
            </Base.Positioner>
          </Base.Portal>
        )}
      </Base.Root>
    </Base.Provider>
  );
}
