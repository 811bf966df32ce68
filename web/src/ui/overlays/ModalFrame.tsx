import { Dialog as Base } from "@base-ui/react/dialog";
import { X } from "lucide-react";
import { type ReactNode, type RefObject, useEffect, useEffectEvent, useState } from "react";
import { useT } from "#i18n/t.ts";
import { buttonLook } from "#ui/controls/button-look.ts";
import { classes } from "#ui/controls/classes.ts";
import { isTopFrame, openFrame } from "./frames.ts";
import { returnPlace } from "./return-place.ts";

/** What sheets and dialogs have in common: backdrop, frame, head, scrolling body, foot. */
export function ModalFrame(props: {
  open: boolean;
  onClose: () => void;
  title: ReactNode;
  description?: ReactNode;
  footer?: ReactNode;
  /** CSS classes for position and size of the popup. */
  place: string;
  /** A press on the backdrop does not close the dialog, because it must not count as an answer. */
  keepOnPress?: boolean | undefined;
  role?: "alertdialog" | undefined;
  initialFocus?: RefObject<HTMLElement | null> | undefined;
  children?: ReactNode;
}) {
  const { open, onClose, title, description, footer, place, keepOnPress = false, role } = props;
  const t = useT();
  const [frame] = useState(() => Symbol("frame"));
  const [popup, setPopup] = useState<HTMLDivElement | null>(null);
  const [body, setBody] = useState<HTMLDivElement | null>(null);
  useEffect(() => (open ? openFrame(frame) : undefined), [open, frame]);
  const isStop = useKeyStop(body);
  const before = useFocusBefore(open);
  useKeptFocus(popup, open, () => isTopFrame(frame));
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
          className="fixed inset-0 bg-shade transition-opacity data-ending-style:opacity-0 data-starting-style:opacity-0"
        />
        <Base.Popup
          ref={setPopup}
          finalFocus={() => returnPlace(before)}
          initialFocus={props.initialFocus ?? (() => firstFocus(popup, body))}
          // The role is passed only if it is given: `undefined` would remove the library's default
          // role, `dialog`.
          {...(role === undefined ? {} : { role })}
          className={classes(
            "fixed flex flex-col border-line bg-panel text-ink outline-none",
            "transition-[translate,opacity] data-ending-style:opacity-0 data-starting-style:opacity-0",
            place,
          )}
        >
          <header className="flex shrink-0 items-start gap-3 border-b border-line py-3 pr-3 pl-5 max-md:pl-4">
            <div className="min-w-0 flex-1 py-1">
              <Base.Title dir="auto" className="text-lg font-semibold wrap-anywhere">
                {title}
              </Base.Title>
              {description !== undefined && description !== null && (
                <Base.Description render={<div />} className="mt-0.5 text-sm text-muted">
                  {description}
                </Base.Description>
              )}
            </div>
            <Base.Close
              aria-label={t("ui.close")}
              className={buttonLook("ghost", "md", false, "square")}
            >
              <X size={16} aria-hidden />
            </Base.Close>
          </header>
          {props.children !== undefined && (
            <div
              ref={setBody}
              tabIndex={isStop ? 0 : undefined}
              className="min-h-0 flex-1 overflow-y-auto overscroll-contain px-5 py-4 max-md:px-4"
            >
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

/**
 * Whether the body needs to be focusable: it scrolls and contains nothing focusable, so that
 * otherwise the keyboard could not scroll it.
 */
function useKeyStop(body: HTMLElement | null): boolean {
  const [isStop, setStop] = useState(false);
  useEffect(() => {
    if (body === null) return undefined;
    const look = () => {
      const isLong = body.scrollHeight > body.clientHeight;
      setStop(isLong && body.querySelector(focusable) === null);
    };
    look();
    // Looks again when the body may have become too long: when content is loaded, or a phone is
    // turned.
    const contents = new MutationObserver(look);
    contents.observe(body, { childList: true, subtree: true, characterData: true });
    const size = new ResizeObserver(look);
    size.observe(body);
    return () => {
      contents.disconnect();
      size.disconnect();
    };
  }, [body]);
  return isStop;
}

const focusable = "a, button, input, textarea, select, [tabindex]:not([tabindex='-1'])";

/**
 * Returns the element that had the focus before the frame opened, to which the focus returns. It is
 * read during the drawing that opens the frame, because a field with autofocus takes the focus
 * before the dialog library looks.
 */
function useFocusBefore(open: boolean): HTMLElement | null {
  const [seen, setSeen] = useState({ open, element: open ? focusedNow() : null });
  if (seen.open !== open) {
    setSeen({ open, element: open ? focusedNow() : seen.element });
  }
  return seen.element;
}

function focusedNow(): HTMLElement | null {
  const focused = document.activeElement;
  return focused instanceof HTMLElement && focused !== document.body ? focused : null;
}

/**
 * Moves the focus to the popup when the focused element is removed, as when a loaded part replaces
 * it. Otherwise the focus would leave the popup, and Escape and Tab would not reach it.
 */
function useKeptFocus(popup: HTMLElement | null, open: boolean, isTop: () => boolean): void {
  const keep = useEffectEvent(() => {
    const isLost = document.activeElement === document.body || document.activeElement === null;
    if (isLost && isTop()) popup?.focus({ preventScroll: true });
  });
  useEffect(() => {
    if (!open || popup === null) return undefined;
    let frame = 0;
    const look = () => {
      cancelAnimationFrame(frame);
      // Checks two frames later, because the popup gets its first focus one frame after it is
      // drawn.
      frame = requestAnimationFrame(() => {
        frame = requestAnimationFrame(keep);
      });
    };
    look();
    const observer = new MutationObserver(look);
    observer.observe(popup, { childList: true, subtree: true });
    return () => {
      cancelAnimationFrame(frame);
      observer.disconnect();
    };
  }, [open, popup]);
}

/**
 * Chooses the element that gets the first focus: the first text field. On touch screens it is the
 * popup itself, because focusing a field would open the on-screen keyboard, which covers the popup.
 */
function firstFocus(popup: HTMLElement | null, body: HTMLElement | null): HTMLElement | boolean {
  if (matchMedia("(pointer: coarse)").matches) return popup ?? true;
  const fields = body?.querySelectorAll<Field>("input, textarea") ?? [];
  return [...fields].find(isTypedInto) ?? true;
}

type Field = HTMLInputElement | HTMLTextAreaElement;

const notTyped: ReadonlySet<string> = new Set(["hidden", "checkbox", "radio", "file", "range"]);

function isTypedInto(field: Field): boolean {
  return !field.disabled && !field.readOnly && !notTyped.has(field.type);
}
