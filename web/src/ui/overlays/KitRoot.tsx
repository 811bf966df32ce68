import type { ReactNode } from "react";
import { DialogScope } from "./DialogScope.tsx";
import { ToastHost } from "./ToastHost.tsx";
import { TooltipHost } from "./Tooltip.tsx";

/** Put once around the whole console: draws tooltips, toasts and questions. */
export function KitRoot(props: { children: ReactNode }) {
  return (
    <TooltipHost>
      <ToastHost>
        <DialogScope>{props.children}</DialogScope>
      </ToastHost>
    </TooltipHost>
  );
}
