import { Popover } from "@base-ui/react/popover";
import { type ReactNode, useId } from "react";

/**
 * The frame of a popup that a button of the list's tools opens. Its code is loaded when the first
 * popup opens.
 */
export function ToolPopup(props: {
  readonly anchor: HTMLElement;
  readonly title: string;
  readonly onClose: () => void;
  /** Shown to the right of the title. */
  readonly action?: ReactNode;
  readonly children: ReactNode;
}) {
  const { anchor, title, onClose, action, children } = props;
  const id = useId();
  return (
    <Popover.Root
      open
      onOpenChange={(open, { event }) => {
        // A press on the button that opened the popup is ignored here, because the button itself
        // closes the popup.
        const isOwn = event.target instanceof Node && anchor.contains(event.target);
        if (!open && !isOwn) onClose();
      }}
    >
      <Popover.Portal>
        <Popover.Positioner
          anchor={anchor}
          sideOffset={4}
          align="end"
          collisionPadding={8}
          className="z-10 outline-none"
        >
          <Popover.Popup
            aria-labelledby={id}
            finalFocus={{ current: anchor }}
            className="popup-box flex max-h-(--available-height) w-80 max-w-(--available-width) flex-col overflow-y-auto overscroll-contain"
          >
            <div className="flex min-h-10 items-center justify-between gap-2 border-b border-line py-1 pr-2 pl-3">
              <h2 id={id} className="text-sm font-semibold">
                {title}
              </h2>
              {action}
            </div>
            {children}
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  );
}
