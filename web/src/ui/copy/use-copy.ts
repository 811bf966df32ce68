import { topScope } from "#ui/overlays/scopes.ts";
import { copyText } from "./copy-text.ts";

/** Copies; if the clipboard is refused, shows the text to copy by hand. */
export function useCopy(): (text: string) => Promise<boolean> {
  return copy;
}

async function copy(text: string): Promise<boolean> {
  const copied = await copyText(text);
  if (!copied) topScope().showToCopy(text);
  return copied;
}
