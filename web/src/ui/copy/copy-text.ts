/** Copies to the clipboard, also on pages without HTTPS. */

/** Whether the text is on the clipboard; false: the browser refused both ways. */
export async function copyText(text: string): Promise<boolean> {
  // The clipboard is absent on plain HTTP, although its type says otherwise.
  const clipboard = (navigator as { clipboard?: Clipboard }).clipboard;
  if (clipboard !== undefined) {
    try {
      await clipboard.writeText(text);
      return true;
    } catch {
      // The browser refused, or the page has no focus. Copying by selection may still work.
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
  // Inside an open dialog, if there is one: a dialog takes the focus back from elements outside it.
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
