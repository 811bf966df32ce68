import { useEffect, useMemo, useState } from "react";
import { hideKnownKey } from "#ui/copy/kept-secret.ts";
import type { Item } from "#ui/controls/item.ts";
import type { Suggestions } from "#ui/table/column.ts";
import { LateCombobox } from "./LateCombobox.tsx";

/** Milliseconds without a key press after which values are searched. */
const restMs = 200;

/**
 * A text filter that suggests values. Another text is accepted as well: the filter says what it
 * means, such as the beginning of a name.
 */
export function SuggestFilter(props: {
  readonly label: string;
  readonly suggestions: Suggestions;
  /** Empty: not set. */
  readonly value: string;
  readonly onChange: (value: string | undefined) => void;
}) {
  const { label, suggestions, value, onChange } = props;
  const { find, read, say = showPrefix } = suggestions;
  // A value from the address is searched too, because its label may be another text.
  const [typed, setTyped] = useState(value === "" || value.endsWith("%") ? null : value);
  const [found, setFound] = useState<readonly Item[]>([]);
  useEffect(() => {
    // A key of a provider is no name, and belongs into no query.
    if (typed === null || hideKnownKey(typed) !== typed) return undefined;
    const abort = new AbortController();
    const ask = async (): Promise<void> => {
      const items = await find(textOfPrefix(typed), abort.signal);
      if (!abort.signal.aborted) setFound(items);
    };
    // A search that fails leaves the field as a plain one.
    const timer = setTimeout(() => void ask().catch(() => {}), restMs);
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [typed, find]);
  const items = useMemo(() => {
    const isKnown = value === "" || found.some((item) => item.value === value);
    return isKnown ? found : [...found, { value, label: say(value) }];
  }, [found, value, say]);

  function handleChange(next: string | number | null) {
    if (next === null) return onChange(undefined);
    const text = hideKnownKey(String(next));
    if (items.some((item) => item.value === text)) return onChange(text);
    const made = read(textOfPrefix(text));
    if (made !== null) onChange(made === "" ? undefined : made);
  }

  return (
    <LateCombobox
      label={label}
      items={items}
      value={value}
      creatable
      onChange={handleChange}
      onSearch={setTyped}
    />
  );
}

/** Writes a value for people: `ali%` as `ali…`. */
export function showPrefix(value: string): string {
  return value.endsWith("%") ? `${value.slice(0, -1)}…` : value;
}

/** Returns the text of a prefix without its mark. */
function textOfPrefix(text: string): string {
  return text.replace(/[%…]$/u, "").trim();
}
