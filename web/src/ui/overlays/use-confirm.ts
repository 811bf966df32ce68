import type { ConfirmQuestion } from "./ConfirmDialog.tsx";
import { topScope } from "./scopes.ts";

/** `await confirm({ title, confirmLabel })` is true when the user agreed. */
export function useConfirm(): (question: ConfirmQuestion) => Promise<boolean> {
  return confirm;
}

/** Asks above whatever is open now, so it may be called from anywhere. */
function confirm(question: ConfirmQuestion): Promise<boolean> {
  return topScope().confirm(question);
}
