/** What of a key press decides whether it sends. */
type KeyPress = {
  readonly key: string;
  readonly shiftKey: boolean;
  readonly altKey: boolean;
  readonly keyCode: number;
  readonly isComposing: boolean;
};

/** The code of every key an input method takes for itself. */
const inputMethodKey = 229;

/**
 * Enter sends, Shift Enter is a new line. An Enter that ends a composition belongs to the input
 * method; Safari says so by the code alone.
 */
export function isSendKey({ key, shiftKey, altKey, keyCode, isComposing }: KeyPress): boolean {
  return key === "Enter" && !shiftKey && !altKey && !isComposing && keyCode !== inputMethodKey;
}
