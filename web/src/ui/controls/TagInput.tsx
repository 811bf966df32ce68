import { X } from "lucide-react";
import { useRef, useState } from "react";
import { useT } from "#i18n/t.ts";
import { chip, chipRemove } from "./field-look.ts";
import { splitValues, withValues } from "./choices.ts";
import { ariaOf, type ControlProps } from "./control.ts";

/**
 * A field for several free texts, shown as chips. Enter, a comma or leaving the field adds the
 * typed text; pasting a list adds all of its texts.
 */
export function TagInput(
  props: ControlProps & {
    value: readonly string[];
    onChange: (value: string[]) => void;
    placeholder?: string | undefined;
  },
) {
  const { value, onChange, placeholder, disabled = false } = props;
  const t = useT();
  const [text, setText] = useState("");
  const input = useRef<HTMLInputElement>(null);

  function add(added: string): boolean {
    const parts = splitValues(added);
    if (parts.length === 0) return false;
    onChange([...withValues(value, parts)]);
    setText("");
    return true;
  }

  function remove(tag: string) {
    onChange(value.filter((each) => each !== tag));
    input.current?.focus();
  }

  return (
    // A click on the empty part focuses the text field; the keyboard reaches that by itself.
    // oxlint-disable-next-line jsx-a11y/no-static-element-interactions, jsx-a11y/click-events-have-key-events
    <div
      className="control-box h-auto cursor-text"
      onClick={(event) => event.target === event.currentTarget && input.current?.focus()}
    >
      <ul className="flex max-h-48 min-w-0 flex-1 flex-wrap items-center gap-1 overflow-y-auto p-0.75">
        {value.map((tag) => (
          <li key={tag} className={chip}>
            <span className="truncate">{tag}</span>
            <button
              type="button"
              disabled={disabled}
              aria-label={t("ui.removeThing", { name: tag })}
              className={chipRemove}
              onClick={() => remove(tag)}
            >
              <X size={12} aria-hidden />
            </button>
          </li>
        ))}
        <li className="flex min-w-10 flex-1">
          <input
            {...ariaOf(props)}
            ref={input}
            disabled={disabled}
            value={text}
            placeholder={value.length === 0 ? placeholder : undefined}
            autoComplete="off"
            className="field-sizing-content min-h-6 max-md:min-h-8 min-w-0 flex-1 bg-transparent px-1.5 outline-none"
            onChange={(event) => setText(event.target.value)}
            onBlur={() => {
              add(text);
              props.onBlur?.();
            }}
            onPaste={(event) => {
              const pasted = event.clipboardData.getData("text");
              if (splitValues(pasted).length > 1 && add(pasted)) event.preventDefault();
            }}
            onKeyDown={(event) => {
              if (event.nativeEvent.isComposing) return;
              const last = value.at(-1);
              if (event.key === "Backspace" && text === "" && last !== undefined) remove(last);
              if (event.key === "Enter" || event.key === "," || event.key === "，") {
                if (add(text) || event.key !== "Enter") event.preventDefault();
              }
            }}
          />
        </li>
      </ul>
    </div>
  );
}
