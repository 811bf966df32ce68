import { Popover as Base } from "@base-ui/react/popover";
import type { ReactElement, ReactNode } from "react";

/**
 * A button that opens a small panel. `open` and `onOpenChange` are needed only if the caller has to
 * close the panel.
 */
export function Popover(props: {
  /** The button that opens the panel; it must be a button of the kit. */
  trigger: ReactElement<Record<string, unknown>>;
  children: ReactNode;
  /** The panel's name for screen readers. */
  title?: string | undefined;
  align?: "start" | "center" | "end" | undefined;
  open?: boolean | undefined;
  onOpenChange?: ((open: boolean) => void) | undefined;
  /** Leaves out the padding, for lists that have a padding of their own. */
  flush?: boolean | undefined;
}) {
  const { trigger, children, title, align = "start", open, onOpenChange, flush = false } = props;
  return (
    <Base.Root open={open} onOpenChange={(next) => onOpenChange?.(next)}>
      <Base.Trigger render={trigger} />
      <Base.Portal>
        <Base.Positioner
          sideOffset={4}
          align={align}
          collisionPadding={8}
          className="z-10 outline-none"
        >
          <Base.Popup
            aria-label={title}
            className={
              "popup-box max-h-(--available-height) max-w-[min(40rem,var(--available-width))] " +
              `overflow-y-auto overscroll-contain ${flush ? "" : "p-3"}`
            }
          >
            {children}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}
