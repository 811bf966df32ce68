import { Check, Copy } from "lucide-react";
import { type MouseEvent, useEffect, useRef, useState } from "react";
import { toastCopied } from "#ui/copy/toast-copied.ts";
import { useCopy } from "#ui/copy/use-copy.ts";
import { toastError } from "#ui/overlays/toast.ts";
import { copyLook } from "./row-look.ts";
import { useRowWords } from "./row-words.ts";
import { useTip } from "./TipArea.tsx";

/** Milliseconds for which a tick shows after a copy. */
const tickMs = 1_500;

/**
 * An id or a key with a button that copies it; the button appears on hover and focus. `read` gets
 * the text to copy if it differs from the text shown, as with a masked key.
 */
export function CopyCell(props: {
  readonly text: string;
  readonly read?: () => Promise<string>;
  /** What is copied, for the label of the button. */
  readonly label?: string;
}) {
  const { text, read, label } = props;
  const words = useRowWords();
  const copy = useCopy();
  const [copied, setCopied] = useState(false);
  const [reading, setReading] = useState(false);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);

  const press = async (event: MouseEvent) => {
    event.stopPropagation();
    if (reading) return;
    try {
      setReading(true);
      if (!(await copy(read === undefined ? text : await read()))) return;
      // The text that is shown, which is a mask where the copied one is a key.
      toastCopied(text);
      setCopied(true);
      clearTimeout(timer.current);
      timer.current = setTimeout(() => setCopied(false), tickMs);
    } catch (error) {
      toastError(error);
    } finally {
      setReading(false);
    }
  };
  const name = copied ? words.copied : words.copy(label ?? text);
  return (
    <span className="inline-flex max-w-full items-center gap-1">
      <span className="truncate font-mono text-xs" data-cut="" {...useTip(text)}>
        {text}
      </span>
      <button
        type="button"
        aria-label={name}
        aria-busy={reading || undefined}
        {...useTip(name)}
        className={copyLook}
        data-copied={copied ? "" : undefined}
        onClick={(event) => void press(event)}
      >
        {copied ? <Check size={14} aria-hidden /> : <Copy size={14} aria-hidden />}
      </button>
    </span>
  );
}
