/** Tells whether a key press is a shortcut of the page or belongs to the focused element. */

/**
 * CSS selector of open elements that handle keys themselves. Toasts have the role of a dialog but
 * do not handle keys.
 */
const overlays =
  "[role=dialog]:not([data-toast]), [role=alertdialog]:not([data-toast]), [role=menu], " +
  "[role=listbox]";

/** Whether a dialog or a popup is open above the page. */
export function isCovered(): boolean {
  return document.querySelector(overlays) !== null;
}

/** Whether a key pressed in this element types text. */
export function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return (
    target.isContentEditable ||
    target.matches("input:not([type=checkbox], [type=radio]), textarea, select, [role=textbox]")
  );
}

/**
 * Whether a key press is a shortcut of the page: not typed text, nothing open above the page, and
 * no shortcut of the browser.
 */
export function isCommand(event: KeyboardEvent): boolean {
  if (event.defaultPrevented || event.isComposing) return false;
  if (event.ctrlKey || event.metaKey || event.altKey) return false;
  return !isTyping(event.target) && !isCovered();
}
