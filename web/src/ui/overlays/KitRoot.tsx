import type { ReactNode } from "react";
import { DialogScope } from "./DialogScope.tsx";
import { ToastHost } from "./ToastHost.tsx";
import { TooltipHost } from "./Tooltip.tsx";

/** Used once around the console: draws tooltips, toasts and questions. */
export function KitRoot(props: { children: ReactNode }) {
  return (
    <TooltipHost>
      <ToastHost>
        <DialogScope>{props.children}</DialogScope>
      </ToastHost>
    </TooltipHost>
  );
}
