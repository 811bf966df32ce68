/** Whether a key is a command to the page behind, or belongs to what has the focus. */

/** What handles keys itself while it is there. News are dialogs to a screen reader only. */
const overlays =
  "[role=dialog]:not([data-toast]), [role=alertdialog]:not([data-toast]), [role=menu], " +
  "[role=listbox]";

/** Something floats above the page. */
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

/** A letter that stands for a command: no text, nothing above the page, no browser's shortcut. */
export function isCommand(event: KeyboardEvent): boolean {
  if (event.defaultPrevented || event.isComposing) return false;
  if (event.ctrlKey || event.metaKey || event.altKey) return false;
  return !isTyping(event.target) && !isCovered();
}
