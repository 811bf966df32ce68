/** The fields of a key press that decide whether it sends. */
type KeyPress = {
  readonly key: string;
  readonly shiftKey: boolean;
  readonly altKey: boolean;
  readonly keyCode: number;
  readonly isComposing: boolean;
};

/** The key code of every key that an input method handles itself. */
const inputMethodKey = 229;

/**
 * Enter sends, Shift Enter starts a new line. An Enter that ends a composition belongs to the input
 * method; in Safari only the key code shows that.
 */
export function isSendKey({ key, shiftKey, altKey, keyCode, isComposing }: KeyPress): boolean {
  return key === "Enter" && !shiftKey && !altKey && !isComposing && keyCode !== inputMethodKey;
}
