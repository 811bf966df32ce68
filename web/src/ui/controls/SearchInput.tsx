import { Search, X } from "lucide-react";
import { useEffect, useRef } from "react";
import { useT } from "#i18n/t.ts";
import { Kbd } from "#ui/layout/Kbd.tsx";
import type { ControlProps } from "./control.ts";
import { ariaOf } from "./control.ts";

/**
 * A search field. Escape clears it. `shortcut` is the key that moves the focus to it from anywhere
 * on the page.
 */
export function SearchInput(
  props: ControlProps & {
    value: string;
    onChange: (value: string) => void;
    placeholder?: string | undefined;
    shortcut?: string | undefined;
  },
) {
  const { value, onChange, placeholder, shortcut } = props;
  const t = useT();
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (shortcut === undefined) return undefined;
    function jump(event: KeyboardEvent) {
      if (event.key !== shortcut || event.ctrlKey || event.metaKey || event.altKey) return;
      if (isTyping(event.target)) return;
      // While a dialog is open, the key moves the focus only to a search field inside the dialog,
      // not to one on the page behind it.
      const dialog = document.querySelector("[role=dialog]:has(header)");
      if (dialog !== null && !dialog.contains(input.current)) return;
      event.preventDefault();
      input.current?.focus();
      input.current?.select();
    }
    document.addEventListener("keydown", jump);
    return () => document.removeEventListener("keydown", jump);
  }, [shortcut]);
  return (
    <div className="control-box">
      <Search size={16} aria-hidden className="ml-2.25 shrink-0 text-muted" />
      <input
        {...ariaOf(props)}
        ref={input}
        type="text"
        inputMode="search"
        enterKeyHint="search"
        autoComplete="off"
        aria-label={props["aria-label"] ?? placeholder ?? t("ui.search")}
        placeholder={placeholder}
        disabled={props.disabled}
        value={value}
        className="control-text"
        onChange={(event) => onChange(event.target.value)}
        onBlur={props.onBlur}
        onKeyDown={(event) => {
          if (event.key !== "Escape" || value === "") return;
          event.stopPropagation();
          onChange("");
        }}
      />
      {value !== "" && (
        <button
          type="button"
          aria-label={t("ui.clear")}
          className="flex w-8 shrink-0 items-center self-stretch justify-center rounded text-muted hover:text-ink"
          onClick={() => {
            onChange("");
            input.current?.focus();
          }}
        >
          <X size={14} aria-hidden />
        </button>
      )}
      {value === "" && shortcut !== undefined && (
        <span className="mr-2 shrink-0 max-md:hidden">
          <Kbd>{shortcut}</Kbd>
        </span>
      )}
    </div>
  );
}

/** Whether a key pressed in this element types text, so that it is not a shortcut. */
function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return target.isContentEditable || ["INPUT", "TEXTAREA", "SELECT"].includes(target.tagName);
}
