import type { ReactNode } from "react";
import { DialogScope } from "./DialogScope.tsx";
import { ToastHost } from "./ToastHost.tsx";
import { TooltipHost } from "./Tooltip.tsx";

/** Stands once around the console: draws tooltips, toasts and questions. */
export function KitRoot(props: { children: ReactNode }) {
  return (
    <TooltipHost>
      <ToastHost>
        <DialogScope>{props.children}</DialogScope>
      </ToastHost>
    </TooltipHost>
  );
}
