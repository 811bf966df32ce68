import { useEffect, useEffectEvent } from "react";
import type { ListSearch, SetListSearch } from "./list-search.ts";

/** What handles Escape itself while it is there. */
const overlays = "[role=dialog], [role=alertdialog], [role=menu], [role=listbox]";

/** Escape closes what the address opened, also where no sheet stands for it: rows that are unfolded. */
export function useAddressEscape(search: ListSearch, onSearch: SetListSearch): void {
  const close = useEffectEvent((event: KeyboardEvent) => {
    if (event.key !== "Escape" || event.isComposing || isTyping(event.target)) return;
    if (document.querySelector(overlays) !== null) return;
    if (search.open !== "") onSearch({ open: "" });
    else if (search.expanded !== "") onSearch({ expanded: "" });
  });
  useEffect(() => {
    // In the capture phase an overlay that this very key closes is still there.
    document.addEventListener("keydown", close, { capture: true });
    return () => document.removeEventListener("keydown", close, { capture: true });
  }, []);
}

function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return target.isContentEditable || target.matches("input:not([type=checkbox]), textarea, select");
}
