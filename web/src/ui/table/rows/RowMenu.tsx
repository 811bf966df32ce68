import { Menu } from "@base-ui/react/menu";
import { type CSSProperties, type Ref, useId, useImperativeHandle, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { type MenuItem, MenuItems, menuBox } from "#ui/overlays/MenuItems.tsx";
import type { RowAction } from "#ui/table/column.ts";
import { visibleActionsMax } from "#ui/table/cells/row-look.ts";

/**
 * What the menu is opened for. `all`: the menu also contains the actions that the row shows as
 * buttons.
 */
type RowMenuPayload<Row> = { readonly row: Row; readonly all: boolean };

/** The place in the window where the menu opens, in pixels. */
type Place = Pick<DOMRect, "left" | "top" | "width" | "height">;

export type RowMenuOpener<Row> = {
  /**
   * Opens the menu. `button` is the pressed button, if any; it looks pressed while the menu is
   * open.
   */
  readonly open: (payload: RowMenuPayload<Row>, place: Place, button?: HTMLElement) => void;
};

/** Returns the actions that are shown for a row, in their order. */
export function actionsOf<Row>(
  actions: readonly RowAction<Row>[],
  row: Row,
): readonly RowAction<Row>[] {
  return actions.filter((action) => action.shown?.(row) ?? true);
}

/** Divides the actions of a row: those that stand in it as buttons, and those of its menu. */
export function divideActions<Row>(
  actions: readonly RowAction<Row>[],
  row: Row,
): { readonly buttons: readonly RowAction<Row>[]; readonly inMenu: readonly RowAction<Row>[] } {
  const mine = actionsOf(actions, row);
  const buttons = mine.filter(({ inMenu }) => inMenu !== true).slice(0, visibleActionsMax);
  return { buttons, inMenu: mine.filter((action) => !buttons.includes(action)) };
}

/**
 * The menu of row actions: one for the whole table. A row's menu button and a right click on a row
 * open it for that row. The menu has one trigger element, which is moved to the place of the click,
 * because a trigger in each row would be a quarter of the time to draw a page of a hundred rows.
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
  // The element whose press closed the menu. If it is in the button that had opened the menu, this
  // press must not open the menu again.
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
      // The menu reads row and place from its trigger, so the trigger must be drawn with them
      // before the menu opens.
      flushSync(() => setAsked({ payload, place }));
      handle.open(triggerId);
    },
  }));
  // The chosen action. It runs after the menu has closed: otherwise a dialog that it opens would
  // lose the focus to the menu's button.
  const chosen = useRef<() => void>(null);
  const closed = () => {
    opener.current?.removeAttribute("data-popup-open");
    if (opener.current?.getAttribute("aria-haspopup") === "menu") {
      opener.current.setAttribute("aria-expanded", "false");
    }
  };
  // The menu was opened by a right click, whose place has no size.
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
  const shown = all ? actionsOf(actions, row) : divideActions(actions, row).inMenu;
  return shown.map((action) => ({
    key: action.key,
    label: action.label,
    icon: action.icon,
    tone: action.tone,
    disabled: action.disabled?.(row),
    onSelect: () => onSelect(action),
  }));
}
