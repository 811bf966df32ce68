/** Copies text to the clipboard, also on pages without HTTPS. */

/**
 * Copies the text. Resolves to false if the browser refused both the clipboard API and copying a
 * selection.
 */
export async function copyText(text: string): Promise<boolean> {
  // Browsers have no `navigator.clipboard` on plain HTTP, although its type says that they always
  // do.
  const clipboard = (navigator as { clipboard?: Clipboard }).clipboard;
  if (clipboard !== undefined) {
    try {
      await clipboard.writeText(text);
      return true;
    } catch {
      // The clipboard API refused, or the page does not have the focus. Copying a selection may
      // still work.
    }
  }
  return copyBySelection(text);
}

function copyBySelection(text: string): boolean {
  if (typeof document.execCommand !== "function") return false;
  const focused = document.activeElement;
  const field = document.createElement("textarea");
  field.value = text;
  field.readOnly = true;
  field.style.position = "fixed";
  field.style.opacity = "0";
  // The field goes inside an open dialog, if there is one, because a dialog takes the focus back
  // from elements outside of it.
  (focused?.closest("[role=dialog], [role=alertdialog]") ?? document.body).append(field);
  field.focus({ preventScroll: true });
  field.select();
  try {
    return document.execCommand("copy");
  } catch {
    return false;
  } finally {
    field.remove();
    if (focused instanceof HTMLElement) focused.focus({ preventScroll: true });
  }
}
