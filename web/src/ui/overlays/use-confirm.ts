import type { ConfirmQuestion } from "./ConfirmDialog.tsx";
import { topScope } from "./scopes.ts";

/**
 * Returns a function that asks the user: `await confirm({ title, confirmLabel })` is true if the
 * user agreed.
 */
export function useConfirm(): (question: ConfirmQuestion) => Promise<boolean> {
  return confirm;
}

/** Asks in a dialog above everything that is open, so it may be called from anywhere. */
function confirm(question: ConfirmQuestion): Promise<boolean> {
  return topScope().confirm(question);
}
