import { useEffect, useEffectEvent } from "react";
import { isCovered, isTyping } from "./tools/command-keys.ts";
import type { ListSearch, SetListSearch } from "./list-search.ts";

/**
 * Escape closes the open record. Without one, it folds the unfolded rows, which the address holds
 * as well.
 */
export function useAddressEscape(search: ListSearch, onSearch: SetListSearch): void {
  const close = useEffectEvent((event: KeyboardEvent) => {
    if (event.key !== "Escape" || event.isComposing || isTyping(event.target)) return;
    if (isCovered()) return;
    if (search.open !== "") onSearch({ open: "" });
    else if (search.expanded !== "") onSearch({ expanded: "" });
  });
  useEffect(() => {
    // In the capture phase, because the overlay that Escape closes must still be there.
    document.addEventListener("keydown", close, { capture: true });
    return () => document.removeEventListener("keydown", close, { capture: true });
  }, []);
}
