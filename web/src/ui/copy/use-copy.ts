import { topScope } from "#ui/overlays/scopes.ts";
import { copyText } from "./copy-text.ts";

/**
 * Returns a function that copies a text. If the browser refuses the clipboard, it shows the text,
 * to be copied by hand.
 */
export function useCopy(): (text: string) => Promise<boolean> {
  return copy;
}

async function copy(text: string): Promise<boolean> {
  const copied = await copyText(text);
  if (!copied) topScope().showToCopy(text);
  return copied;
}
