import { Toast } from "@base-ui/react/toast";
import { X } from "lucide-react";
import type { ReactNode } from "react";
import { useT } from "#i18n/t.ts";
import { buttonLook } from "#ui/controls/button-look.ts";
import { ToneIcon } from "#ui/feedback/Banner.tsx";
import { type ToastData, toastManager } from "./toast.ts";

/** The largest number of toasts at a time; a further one replaces the oldest. */
const limit = 4;

/** Draws the toasts; `KitRoot` contains the only one. */
export function ToastHost(props: { children: ReactNode }) {
  const t = useT();
  return (
    <Toast.Provider toastManager={toastManager} limit={limit}>
      {props.children}
      <Toast.Portal>
        {/* The toasts are at the bottom right, but high enough not to cover the buttons of a sheet
            or a list's bar of bulk actions. */}
        <Toast.Viewport
          // Not the library's label "notifications", because a page may have a section with that
          // name.
          aria-label={t("ui.toasts")}
          className="fixed right-3 bottom-[max(5rem,calc(var(--bulk-bar-height,0px)+2rem+env(safe-area-inset-bottom)))] z-40 flex w-100 max-w-[calc(100vw-1.5rem)] flex-col-reverse gap-2 outline-none"
        >
          <Toasts />
        </Toast.Viewport>
      </Toast.Portal>
    </Toast.Provider>
  );
}

function Toasts() {
  const t = useT();
  const { toasts } = Toast.useToastManager<ToastData>();
  return toasts.map((toast) => (
    <Toast.Root
      key={toast.id}
      toast={toast}
      data-toast=""
      swipeDirection={["right", "down"]}
      className={
        "w-full translate-x-(--toast-swipe-movement-x) translate-y-(--toast-swipe-movement-y) " +
        "rounded border border-control bg-panel text-ink transition-opacity " +
        "data-ending-style:opacity-0 data-limited:hidden data-starting-style:opacity-0"
      }
    >
      <Toast.Content className="flex items-start gap-2.5 py-2 pr-2 pl-3">
        <span className="flex min-h-control-small items-center">
          <ToneIcon tone={toast.data?.tone ?? "neutral"} />
        </span>
        <div className="flex min-h-control-small min-w-0 flex-1 flex-col justify-center py-1">
          <Toast.Title render={<p />} className="font-medium wrap-anywhere" />
          <Toast.Description className="mt-0.5 text-sm wrap-anywhere text-muted" />
          {typeof toast.data?.requestId === "string" && (
            <p className="mt-0.5 text-xs wrap-anywhere text-muted">
              {t("ui.requestId")}{" "}
              <span className="font-mono select-all">{toast.data.requestId}</span>
            </p>
          )}
        </div>
        {toast.actionProps !== undefined && (
          <Toast.Action className={buttonLook("default", "sm", false)} />
        )}
        <Toast.Close
          aria-label={t("ui.close")}
          className={buttonLook("ghost", "sm", false, "square")}
        >
          <X size={14} aria-hidden />
        </Toast.Close>
      </Toast.Content>
    </Toast.Root>
  ));
}
