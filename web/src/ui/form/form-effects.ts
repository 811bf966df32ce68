import { useEffect, useEffectEvent } from "react";
import { type Draft, isLeavingToSignIn, openDraft, takeDraft } from "./draft.ts";

/**
 * Restores the draft that is stored under `id`, and stores a new one if the session ends. Null:
 * does neither.
 */
export function useDraft(
  id: string | null,
  read: () => Draft | null,
  take: (draft: Draft) => void,
): void {
  const readNow = useEffectEvent(read);
  const takeNow = useEffectEvent(take);
  useEffect(() => {
    if (id === null) return undefined;
    const draft = takeDraft(id);
    if (draft !== null) takeNow(draft);
    return openDraft(id, () => readNow());
  }, [id]);
}

/**
 * While `asks` is true, makes the browser ask before the page is closed or reloaded, because
 * unsaved changes would be lost.
 */
export function useUnloadGuard(asks: boolean): void {
  useEffect(() => {
    if (!asks) return undefined;
    const ask = (event: BeforeUnloadEvent) => {
      if (!isLeavingToSignIn()) event.preventDefault();
    };
    addEventListener("beforeunload", ask);
    return () => removeEventListener("beforeunload", ask);
  }, [asks]);
}
