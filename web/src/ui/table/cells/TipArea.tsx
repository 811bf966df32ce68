import { Tooltip } from "@base-ui/react/tooltip";
import {
  type FocusEvent,
  type PointerEvent,
  type ReactNode,
  type RefObject,
  use,
  useEffect,
  useRef,
  useState,
} from "react";
import { RowWordsContext, useMakeRowWords } from "./row-words.ts";

/** Milliseconds for which the pointer must rest on a cell before its tooltip shows. */
const tipDelayMs = 350;

/** Milliseconds after a change of the rows before their texts are measured. */
const measureDelayMs = 200;

type Shown = { readonly text: string; readonly anchor: Element };

/**
 * Shows the attribute `data-tip` of any element inside as a tooltip; if the element also has
 * `data-cut`, only when its text does not fit. One tooltip serves all cells, because one for each
 * would make a page of a hundred rows slow.
 */
export function TipArea({ children }: { readonly children: ReactNode }) {
  const words = useMakeRowWords();
  const [shown, setShown] = useState<Shown | null>(null);
  const waiting = useRef<ReturnType<typeof setTimeout>>(undefined);
  const area = useRef<HTMLDivElement>(null);
  useEffect(() => () => clearTimeout(waiting.current), []);
  useReachableCuts(area);

  const hide = () => {
    clearTimeout(waiting.current);
    setShown(null);
  };
  const over = (event: PointerEvent) => {
    if (event.pointerType === "touch") return;
    const found = readTip(event.target);
    if (found?.anchor === shown?.anchor) return;
    hide();
    if (found !== null) waiting.current = setTimeout(() => setShown(found), tipDelayMs);
  };
  const focused = (event: FocusEvent) => {
    clearTimeout(waiting.current);
    // A row that has the focus gets no tooltip, because its cells have many different texts.
    if (event.target.hasAttribute("data-row")) return;
    // The focused element may be a button that contains the cut text and opens the record.
    setShown(readTip(event.target) ?? readTip(event.target.querySelector("[data-tip]")));
  };

  return (
    <RowWordsContext value={words}>
      <div
        ref={area}
        className="contents"
        onPointerOver={over}
        onPointerLeave={hide}
        onPointerDown={hide}
        onFocus={focused}
        onBlur={hide}
        onScrollCapture={hide}
        onKeyDown={(event) => {
          if (event.key === "Escape") hide();
        }}
      >
        {children}
      </div>
      <Tooltip.Root open={shown !== null} onOpenChange={(open) => open || hide()}>
        <Tooltip.Portal>
          <Tooltip.Positioner
            anchor={shown?.anchor ?? null}
            sideOffset={6}
            collisionPadding={8}
            className="z-50"
          >
            <Tooltip.Popup className="max-w-96 rounded bg-ink px-2 py-1 text-xs wrap-anywhere whitespace-pre-line text-page">
              {shown?.text}
            </Tooltip.Popup>
          </Tooltip.Positioner>
        </Tooltip.Portal>
      </Tooltip.Root>
    </RowWordsContext>
  );
}

/**
 * Returns the attributes that give an element a tooltip: inside a table the shared one, elsewhere
 * the browser's `title`.
 */
export function useTip(text: string): { readonly "data-tip": string } | { readonly title: string } {
  return use(RowWordsContext) !== null ? { "data-tip": text } : { title: text };
}

/** Draws `children` with a tooltip, which gives the exact or full value. */
export function Tip({ text, children }: { readonly text: string; readonly children: ReactNode }) {
  return <span {...useTip(text)}>{children}</span>;
}

function readTip(target: EventTarget | null): Shown | null {
  const anchor = target instanceof Element ? target.closest("[data-tip]") : null;
  const text = anchor?.getAttribute("data-tip") ?? "";
  if (anchor === null || text === "") return null;
  return anchor.hasAttribute("data-cut") && !isCut(anchor) ? null : { text, anchor };
}

function isCut(element: Element): boolean {
  const { firstElementChild: start } = element;
  return (
    element.scrollWidth > element.clientWidth ||
    element.scrollHeight > element.clientHeight + 1 ||
    // In a text that is cut in the middle, the first part does not fit.
    (start !== null && start.scrollWidth > start.clientWidth)
  );
}

/**
 * Makes texts that are cut reachable with Tab, so that keyboard users can read them in full; texts
 * that fit are not. All are measured together, some time after the rows have changed.
 */
function useReachableCuts(area: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const measure = () => {
      const texts = [...(area.current?.querySelectorAll<HTMLElement>("[data-cut]") ?? [])];
      const cut = texts.map((text) => isCut(text) && text.closest("button, a") === null);
      for (const [index, text] of texts.entries()) {
        if (cut[index] === true) text.tabIndex = 0;
        else text.removeAttribute("tabindex");
      }
    };
    const timer = setTimeout(measure, measureDelayMs);
    addEventListener("resize", measure);
    return () => {
      clearTimeout(timer);
      removeEventListener("resize", measure);
    };
  });
}
