import { Dialog as Base } from "@base-ui/react/dialog";
import { X } from "lucide-react";
import { type ReactNode, type RefObject, useEffect, useState } from "react";
import { useT } from "#i18n/t.ts";
import { buttonLook } from "#ui/controls/button-look.ts";
import { classes } from "#ui/controls/classes.ts";
import { isTopFrame, openFrame } from "./frames.ts";

/** What sheets and dialogs are made of: shade, frame, head, body that scrolls, foot. */
export function ModalFrame(props: {
  open: boolean;
  onClose: () => void;
  title: ReactNode;
  description?: ReactNode;
  footer?: ReactNode;
  /** Place and size of the popup. */
  place: string;
  /** The backdrop of a question does not answer it. */
  keepOnPress?: boolean | undefined;
  role?: "alertdialog" | undefined;
  initialFocus?: RefObject<HTMLElement | null> | undefined;
  children?: ReactNode;
}) {
  const { open, onClose, title, description, footer, place, keepOnPress = false, role } = props;
  const t = useT();
  const [frame] = useState(() => Symbol("frame"));
  useEffect(() => (open ? openFrame(frame) : undefined), [open, frame]);
  return (
    <Base.Root
      open={open}
      onOpenChange={(next, details) => {
        const outside = details.reason === "outside-press";
        const below = (outside || details.reason === "escape-key") && !isTopFrame(frame);
        if (!next && !below && !(outside && keepOnPress)) onClose();
      }}
    >
      <Base.Portal>
        <Base.Backdrop
          forceRender
          className="fixed inset-0 bg-shade transition-opacity duration-150 data-ending-style:opacity-0 data-starting-style:opacity-0"
        />
        <Base.Popup
          initialFocus={props.initialFocus}
          // Left out where there is none: given as undefined it would take the dialog's own.
          {...(role === undefined ? {} : { role })}
          className={classes(
            "fixed flex flex-col border-line bg-panel text-ink outline-none",
            "transition-[translate,opacity] duration-150 data-ending-style:opacity-0 data-starting-style:opacity-0",
            place,
          )}
        >
          <header className="flex shrink-0 items-start gap-3 border-b border-line py-3 pr-3 pl-5 max-md:pl-4">
            <div className="min-w-0 flex-1 py-1">
              <Base.Title className="text-lg font-semibold wrap-anywhere">{title}</Base.Title>
              {description !== undefined && description !== null && (
                <Base.Description render={<div />} className="mt-0.5 text-sm text-muted">
                  {description}
                </Base.Description>
              )}
            </div>
            <Base.Close
              aria-label={t("ui.close")}
              className={buttonLook("ghost", "md", false, true)}
            >
              <X size={16} aria-hidden />
            </Base.Close>
          </header>
          {props.children !== undefined && (
            <div className="min-h-0 flex-1 overflow-y-auto overscroll-contain px-5 py-4 max-md:px-4">
              {props.children}
            </div>
          )}
          {footer !== undefined && footer !== null && (
            <footer className="flex shrink-0 flex-wrap items-center justify-end gap-2 border-t border-line px-5 py-3 pb-[max(0.75rem,env(safe-area-inset-bottom))] max-md:px-4">
              {footer}
            </footer>
          )}
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}
