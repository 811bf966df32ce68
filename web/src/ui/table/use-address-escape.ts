import { useEffect, useEffectEvent } from "react";
import { isCovered, isTyping } from "./tools/command-keys.ts";
import type { ListSearch, SetListSearch } from "./list-search.ts";

/**
 * Makes Escape close the open record or, if none is open, fold the unfolded rows. The address
 * holds both.
 */
export function useAddressEscape(search: ListSearch, onSearch: SetListSearch): void {
  const close = useEffectEvent((event: KeyboardEvent) => {
    if (event.key !== "Escape" || event.isComposing || isTyping(event.target)) return;
    if (isCovered()) return;
    if (search.open !== "") onSearch({ open: "" });
    else if (search.peek !== "") onSearch({ peek: "" });
    else if (search.expanded !== "") onSearch({ expanded: "" });
  });
  useEffect(() => {
    // Listens in the capture phase, while an overlay that the same Escape closes is still there:
    // then this key press is for the overlay.
    document.addEventListener("keydown", close, { capture: true });
    return () => document.removeEventListener("keydown", close, { capture: true });
  }, []);
}
