/** The fields of a keyboard event that decide whether the key press sends the question. */
type KeyPress = {
  readonly key: string;
  readonly shiftKey: boolean;
  readonly altKey: boolean;
  readonly keyCode: number;
  readonly isComposing: boolean;
};

/**
 * The key code that browsers report for keys that an input method (for Chinese, for example)
 * handles.
 */
const inputMethodKey = 229;

/**
 * Whether a key press sends the question: Enter does, Shift+Enter starts a new line. An Enter that
 * ends the composition of an input method does not; in Safari only the key code shows this.
 */
export function isSendKey({ key, shiftKey, altKey, keyCode, isComposing }: KeyPress): boolean {
  return key === "Enter" && !shiftKey && !altKey && !isComposing && keyCode !== inputMethodKey;
}
