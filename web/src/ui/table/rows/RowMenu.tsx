import { Menu } from "@base-ui/react/menu";
import { type CSSProperties, type Ref, useId, useImperativeHandle, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { type MenuItem, MenuItems, menuBox } from "#ui/overlays/MenuItems.tsx";
import type { RowAction } from "#ui/table/column.ts";
import { visibleActionsMax } from "#ui/table/cells/row-look.ts";

/** What the menu is opened for. `all`: with the actions that a row of a table has as buttons. */
type RowMenuPayload<Row> = { readonly row: Row; readonly all: boolean };

/** Position in the window, in pixels. */
type Place = Pick<DOMRect, "left" | "top" | "width" | "height">;

export type RowMenuOpener<Row> = {
  /** `button`: the pressed one, which looks pressed while the menu is open. */
  readonly open: (payload: RowMenuPayload<Row>, place: Place, button?: HTMLElement) => void;
};

/** The actions that exist for a row, in their order. */
export function actionsOf<Row>(
  actions: readonly RowAction<Row>[],
  row: Row,
): readonly RowAction<Row>[] {
  return actions.filter((action) => action.shown?.(row) ?? true);
}

/**
 * The one menu of a table. Rows open it with themselves as payload, as does a right click on them.
 * Its one trigger is moved to the place of the click: a trigger in each row would be a quarter of
 * the cost of a page of a hundred rows.
 */
export function RowMenu<Row>({
  actions,
  ref,
}: {
  readonly actions: readonly RowAction<Row>[];
  readonly ref: Ref<RowMenuOpener<Row>>;
}) {
  const [handle] = useState(() => Menu.createHandle<RowMenuPayload<Row>>());
  const triggerId = useId();
  const [asked, setAsked] = useState<{ payload: RowMenuPayload<Row>; place: Place } | null>(null);
  const opener = useRef<HTMLElement>(null);
  // The press that closes the menu on its own button must not open it again.
  const closedBy = useRef<EventTarget>(null);
  useImperativeHandle(ref, () => ({
    open(payload, place, button) {
      const pressedToClose = closedBy.current;
      closedBy.current = null;
      if (button !== undefined && button === opener.current && isIn(button, pressedToClose)) return;
      const { activeElement } = document;
      const focused = activeElement instanceof HTMLElement && activeElement !== document.body;
      opener.current = button ?? (focused ? activeElement : null);
      button?.setAttribute("data-popup-open", "");
      button?.setAttribute("aria-expanded", "true");
      // The menu reads row and place from its trigger, so they must be there before it opens.
      flushSync(() => setAsked({ payload, place }));
      handle.open(triggerId);
    },
  }));
  // Runs after the menu has closed: a dialog opened earlier would lose the focus to the menu's
  // button.
  const chosen = useRef<() => void>(null);
  const closed = () => {
    opener.current?.removeAttribute("data-popup-open");
    if (opener.current?.getAttribute("aria-haspopup") === "menu") {
      opener.current.setAttribute("aria-expanded", "false");
    }
  };
  // The place of a right click has no size.
  const isPoint = asked?.place.width === 0;
  return (
    <>
      <Menu.Trigger
        handle={handle}
        id={triggerId}
        {...(asked === null ? {} : { payload: asked.payload })}
        tabIndex={-1}
        aria-hidden
        className="pointer-events-none fixed opacity-0"
        style={asked?.place === undefined ? {} : styleOf(asked.place)}
      />
      <Menu.Root
        handle={handle}
        modal={false}
        onOpenChange={(open, { event }) => {
          if (open) return;
          closedBy.current = event.target;
          closed();
        }}
        onOpenChangeComplete={(open) => {
          if (open) return;
          const run = chosen.current;
          chosen.current = null;
          run?.();
        }}
      >
        {({ payload }) => (
          <Menu.Portal>
            <Menu.Positioner
              className="z-10 outline-none"
              align={isPoint ? "start" : "end"}
              sideOffset={isPoint ? 0 : 4}
              collisionPadding={8}
            >
              <Menu.Popup className={menuBox} finalFocus={() => opener.current ?? false}>
                {payload !== undefined && (
                  <MenuItems
                    items={itemsOf(actions, payload, (action) => {
                      chosen.current = () => action.onSelect(payload.row);
                    })}
                  />
                )}
              </Menu.Popup>
            </Menu.Positioner>
          </Menu.Portal>
        )}
      </Menu.Root>
    </>
  );
}

function isIn(button: HTMLElement, target: EventTarget | null): boolean {
  return target instanceof Node && button.contains(target);
}

function styleOf({ left, top, width, height }: Place): CSSProperties {
  return { left, top, width, height };
}

function itemsOf<Row>(
  actions: readonly RowAction<Row>[],
  { row, all }: RowMenuPayload<Row>,
  onSelect: (action: RowAction<Row>) => void,
): readonly MenuItem[] {
  return actionsOf(actions, row)
    .slice(all ? 0 : visibleActionsMax)
    .map((action) => ({
      key: action.key,
      label: action.label,
      icon: action.icon,
      tone: action.tone,
      disabled: action.disabled?.(row),
      onSelect: () => onSelect(action),
    }));
}
