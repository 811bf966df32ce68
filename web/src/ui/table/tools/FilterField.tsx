import { useT } from "#i18n/t.ts";
import { Input } from "#ui/controls/Input.tsx";
import { Select } from "#ui/controls/Select.tsx";
import { DateTimeRange } from "#ui/date/DateTimeRange.tsx";
import type { Filter } from "#ui/table/column.ts";
import { LateCombobox } from "./LateCombobox.tsx";
import { SuggestFilter } from "./SuggestFilter.tsx";
import { useDraftText } from "./use-draft-text.ts";

export type SearchValues = Readonly<Record<string, unknown>>;
export type SetValues = (patch: SearchValues, options?: { readonly replace?: boolean }) => void;

type FieldProps<Kind extends Filter["kind"]> = {
  readonly filter: Extract<Filter, { kind: Kind }>;
  readonly search: SearchValues;
  readonly onSearch: SetValues;
};

/** The control for one filter. Choosing a value applies it immediately. */
export function FilterField(props: {
  readonly filter: Filter;
  readonly search: SearchValues;
  readonly onSearch: SetValues;
  /** Reads the rows again, for Enter in a text that has not changed. */
  readonly onAgain?: (() => unknown) | undefined;
}) {
  const { filter, search, onSearch, onAgain } = props;
  switch (filter.kind) {
    case "text":
      return <TextFilter filter={filter} search={search} onSearch={onSearch} onAgain={onAgain} />;
    case "select":
      return <SelectFilter filter={filter} search={search} onSearch={onSearch} />;
    case "combobox":
      return <ComboboxFilter filter={filter} search={search} onSearch={onSearch} />;
    case "suggest":
      return (
        <SuggestFilter
          label={filter.label}
          suggestions={filter}
          value={textOf(search[filter.name])}
          onChange={(next) => onSearch({ [filter.name]: next })}
        />
      );
    case "time":
      return <TimeFilter filter={filter} search={search} onSearch={onSearch} />;
  }
}

/** The most letters of a placeholder that a narrow field shows whole. */
const narrowLettersMax = 10;

/** The room of a text in Latin letters; a Chinese character takes that of two. */
function lettersOf(text: string): number {
  return text.length + (text.match(/[\u2E80-\uFFFF]/g)?.length ?? 0);
}

function TextFilter(props: FieldProps<"text"> & { readonly onAgain: (() => unknown) | undefined }) {
  const { filter, search, onSearch, onAgain } = props;
  const { name, label, placeholder } = filter;
  const draft = useDraftText(textOf(search[name]), (text) =>
    onSearch({ [name]: text === "" ? undefined : text }, { replace: true }),
  );
  const hint = placeholder ?? label;
  const width = lettersOf(hint) > narrowLettersMax ? "md:w-36" : "md:w-28";
  return (
    <div className={`w-full ${width}`} {...draft.composition}>
      <Input
        aria-label={label}
        placeholder={hint}
        value={draft.text}
        onChange={(event) => draft.change(event.target.value)}
        onBlur={draft.send}
        onKeyDown={(event) => draft.enter(event, onAgain)}
      />
    </div>
  );
}

function SelectFilter({ filter, search, onSearch }: FieldProps<"select">) {
  const { name, label, items, none = "" } = filter;
  const t = useT();
  const choices = items.some((item) => item.value === none)
    ? items
    : [{ value: none, label: t("ui.tableAll", { name: label }) }, ...items];
  const value = choices.find((item) => String(item.value) === textOf(search[name]))?.value ?? none;
  return (
    <div className="w-full md:w-36">
      <Select<string | number>
        aria-label={label}
        items={choices}
        value={value}
        onChange={(next) => onSearch({ [name]: next === none ? undefined : next })}
      />
    </div>
  );
}

function ComboboxFilter({ filter, search, onSearch }: FieldProps<"combobox">) {
  const { name, label, items, creatable = false } = filter;
  return (
    <LateCombobox
      label={label}
      items={items}
      value={textOf(search[name])}
      creatable={creatable}
      onChange={(next) => onSearch({ [name]: next ?? undefined })}
    />
  );
}

function TimeFilter({ filter, search, onSearch }: FieldProps<"time">) {
  const { name, end, label, presets } = filter;
  return (
    <div className="w-full md:w-88">
      <DateTimeRange
        aria-label={label}
        value={{ start: secondsOf(search[name]), end: secondsOf(search[end]) }}
        onChange={(range) =>
          onSearch({ [name]: range.start ?? undefined, [end]: range.end ?? undefined })
        }
        {...(presets === undefined ? {} : { presets })}
      />
    </div>
  );
}

/** Writes a value of the list's state as the text that the address has for it. */
export function textOf(value: unknown): string {
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}

/** Reads one end of a range of time, in Unix seconds; null: the range is open at this end. */
export function secondsOf(value: unknown): number | null {
  const seconds = Number(value);
  return Number.isFinite(seconds) && seconds > 0 ? seconds : null;
}
