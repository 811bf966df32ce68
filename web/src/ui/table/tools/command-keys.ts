/** Whether a key press is a command of the page, or is for the focused element. */

/** Elements that handle keys themselves. Toasts have the role of a dialog, but do not. */
const overlays =
  "[role=dialog]:not([data-toast]), [role=alertdialog]:not([data-toast]), [role=menu], " +
  "[role=listbox]";

/** Whether a dialog or a popup is open above the page. */
export function isCovered(): boolean {
  return document.querySelector(overlays) !== null;
}

/** A key pressed there is text. */
export function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return (
    target.isContentEditable ||
    target.matches("input:not([type=checkbox], [type=radio]), textarea, select, [role=textbox]")
  );
}

/** A letter as a command: not typed text, nothing open above the page, no browser shortcut. */
export function isCommand(event: KeyboardEvent): boolean {
  if (event.defaultPrevented || event.isComposing) return false;
  if (event.ctrlKey || event.metaKey || event.altKey) return false;
  return !isTyping(event.target) && !isCovered();
}
