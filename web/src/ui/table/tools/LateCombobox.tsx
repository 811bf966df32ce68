import { ChevronDown } from "lucide-react";
import { type RefObject, useEffect, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { useT } from "#i18n/t.ts";
import type { Combobox } from "#ui/controls/Combobox.tsx";
import { fieldButton } from "#ui/controls/field-look.ts";
import type { Item } from "#ui/controls/item.ts";

type Loaded = typeof Combobox;

/** The longest label that the usual width shows whole, in letters. */
const usualLabelMax = 11;

/**
 * A combobox whose code is loaded when it is first used or has a value: it is a third of a list
 * screen's code, and most visits to a list choose nothing in it. Until then an input with the same
 * look and role takes its place. The text typed into it and the click that opened it are not lost:
 * the combobox gets both.
 */
export function LateCombobox(props: {
  readonly label: string;
  readonly items: readonly Item[];
  readonly value: string;
  readonly creatable: boolean;
  readonly onChange: (value: string | number | null) => void;
  /** Given: the caller searches the typed text, and gives what it found as `items`. */
  readonly onSearch?: (text: string) => void;
}) {
  const { label, items, value, creatable, onChange, onSearch } = props;
  const t = useT();
  // An object, because a function in the state would be taken for an update of it.
  const [loaded, setLoaded] = useState<{ readonly Field: Loaded } | null>(null);
  const box = useRef<HTMLDivElement>(null);

  async function load() {
    const { Combobox: Field } = await loadCombobox();
    const standIn = findInput(box);
    const typed = standIn !== null && standIn === document.activeElement ? standIn.value : null;
    // At once, so that no key is pressed between the two inputs.
    flushSync(() => setLoaded({ Field }));
    const input = findInput(box);
    if (typed !== null && input !== null && input !== standIn) handOn(input, typed);
  }
  // A failure is not reported: the next use of the field tries again.
  const ask = (): void => void load().catch(() => {});

  useEffect(() => {
    if (value !== "" && loaded === null) load().catch(() => {});
  });

  return (
    <div ref={box} className={`w-full ${label.length > usualLabelMax ? "md:w-40" : "md:w-36"}`}>
      {loaded === null ? (
        <div className="control-box">
          <input
            role="combobox"
            aria-label={label}
            aria-autocomplete="list"
            aria-expanded={false}
            aria-haspopup="listbox"
            autoComplete="off"
            className="control-text truncate"
            placeholder={label}
            onPointerEnter={() => void loadCombobox().catch(() => {})}
            onFocus={() => void loadCombobox().catch(() => {})}
            onClick={ask}
            onChange={ask}
            onKeyDown={(event) => {
              if (event.key === "ArrowDown" || event.key === "ArrowUp") ask();
            }}
          />
          <button
            type="button"
            tabIndex={-1}
            aria-label={t("ui.showChoices")}
            className={fieldButton}
            onClick={(event) => {
              event.currentTarget.parentElement?.querySelector("input")?.focus();
              ask();
            }}
          >
            <ChevronDown size={16} aria-hidden />
          </button>
        </div>
      ) : (
        <loaded.Field
          aria-label={label}
          placeholder={label}
          items={items}
          value={value === "" ? null : value}
          onChange={onChange}
          onSearch={onSearch}
          creatable={creatable}
          clearable
        />
      )}
    </div>
  );
}

function findInput({ current }: RefObject<HTMLElement | null>): HTMLInputElement | null {
  return current?.querySelector("input") ?? null;
}

const loadCombobox = () => import("#ui/controls/Combobox.tsx");

/** Gives the field the focus and does again what the user did in its stand-in. */
function handOn(input: HTMLInputElement, text: string): void {
  input.focus();
  if (text === "") {
    input.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowDown", bubbles: true }));
    return;
  }
  // React listens to changes by the prototype's setter and takes no notice of its own `value`.
  Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value")?.set?.call(input, text);
  input.dispatchEvent(new InputEvent("input", { bubbles: true, inputType: "insertText" }));
}
