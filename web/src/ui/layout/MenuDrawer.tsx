import { Dialog } from "@base-ui/react/dialog";
import { X } from "lucide-react";
import type { ReactNode } from "react";
import { useT } from "#i18n/t.ts";
import { buttonLook } from "#ui/controls/button-look.ts";

/** A drawer from the left, which contains the side menu on narrow screens. */
export function MenuDrawer(props: {
  label: string;
  open: boolean;
  onClose: () => void;
  children: ReactNode;
}) {
  const t = useT();
  return (
    <Dialog.Root open={props.open} onOpenChange={(open) => !open && props.onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="fixed inset-0 bg-shade transition-opacity data-ending-style:opacity-0 data-starting-style:opacity-0" />
        <Dialog.Popup
          className={
            "fixed inset-y-0 left-0 flex w-72 max-w-[85vw] flex-col border-r border-line bg-panel " +
            "text-ink outline-none transition-transform " +
            "data-ending-style:-translate-x-full data-starting-style:-translate-x-full"
          }
        >
          <div className="flex h-12 shrink-0 items-center justify-between border-b border-line pr-2 pl-4">
            <Dialog.Title className="text-base font-semibold">{props.label}</Dialog.Title>
            <Dialog.Close
              aria-label={t("ui.close")}
              className={buttonLook("ghost", "md", false, "square")}
            >
              <X size={16} aria-hidden />
            </Dialog.Close>
          </div>
          <div className="min-h-0 flex-1 overflow-y-auto overscroll-contain">{props.children}</div>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
