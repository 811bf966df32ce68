import { Tooltip as Base } from "@base-ui/react/tooltip";
import type { ReactElement, ReactNode } from "react";

/**
 * The handle of the only tooltip popup, which `TooltipHost` draws. All triggers share it, because
 * tables have many of them.
 */
const shared = Base.createHandle<ReactNode>();

/**
 * Shows a short explanation when its child is hovered or focused. What it says must also be
 * available elsewhere.
 */
export function Tooltip(props: {
  content: ReactNode;
  children: ReactElement<Record<string, unknown>>;
}) {
  return <Base.Trigger handle={shared} payload={props.content} render={props.children} />;
}

/** Draws the popup of all tooltips; `KitRoot` contains the only one. */
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
