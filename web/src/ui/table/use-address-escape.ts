import { useEffect, useEffectEvent } from "react";
import { isCovered, isTyping } from "./tools/command-keys.ts";
import type { ListSearch, SetListSearch } from "./list-search.ts";

/** Escape closes what the address opened, also where no sheet stands for it: rows that are unfolded. */
export function useAddressEscape(search: ListSearch, onSearch: SetListSearch): void {
  const close = useEffectEvent((event: KeyboardEvent) => {
    if (event.key !== "Escape" || event.isComposing || isTyping(event.target)) return;
    if (isCovered()) return;
    if (search.open !== "") onSearch({ open: "" });
    else if (search.expanded !== "") onSearch({ expanded: "" });
  });
  useEffect(() => {
    // In the capture phase an overlay that this very key closes is still there.
    document.addEventListener("keydown", close, { capture: true });
    return () => document.removeEventListener("keydown", close, { capture: true });
  }, []);
}
