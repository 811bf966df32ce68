import type { ReactNode } from "react";
import { SearchInput } from "#ui/controls/SearchInput.tsx";
import type { Filter, Keyword } from "#ui/table/column.ts";
import { FilterChips } from "./FilterChips.tsx";
import { FilterField, type SearchValues, type SetValues, textOf } from "./FilterField.tsx";
import { FilterSheet } from "./FilterSheet.tsx";
import { useWide } from "#ui/table/use-browser.ts";
import { useDraftText } from "./use-draft-text.ts";

/** The line above the rows: the search field, the filters, and `end` at the right. */
export function Toolbar(props: {
  readonly keyword: Keyword | undefined;
  readonly filters: readonly Filter[];
  readonly search: SearchValues;
  readonly onSearch: SetValues;
  readonly onClear: () => void;
  /**
   * The screen's further controls, which a phone shows in the filter sheet. `controlsSet` is the
   * number of those that the user has set.
   */
  readonly controls: ReactNode;
  readonly controlsSet: number;
  readonly end: ReactNode;
  /** Reads the rows again, for Enter in a field whose text has not changed. */
  readonly onAgain?: () => unknown;
}) {
  const { keyword, filters, controls, controlsSet, end, onAgain, ...values } = props;
  const wide = useWide();
  return (
    <div className="flex flex-col gap-2">
      <div className="flex items-center gap-2 md:flex-wrap">
        {keyword !== undefined && <KeywordField keyword={keyword} onAgain={onAgain} {...values} />}
        {wide
          ? filters.map((filter) => (
              <FilterField
                key={filter.name}
                filter={filter}
                search={values.search}
                onSearch={values.onSearch}
                onAgain={onAgain}
              />
            ))
          : (filters.length > 0 || controls !== undefined) && (
              <FilterSheet
                filters={filters}
                controls={controls}
                controlsSet={controlsSet}
                {...values}
              />
            )}
        <div className="ml-auto flex items-center gap-1">{end}</div>
      </div>
      <FilterChips filters={filters} {...values} />
    </div>
  );
}

function KeywordField(props: {
  readonly keyword: Keyword;
  readonly search: SearchValues;
  readonly onSearch: SetValues;
  readonly onAgain: (() => unknown) | undefined;
}) {
  const { keyword, search, onSearch, onAgain } = props;
  const draft = useDraftText(textOf(search[keyword.name]), (text) =>
    onSearch({ [keyword.name]: text === "" ? undefined : text }, { replace: true }),
  );
  return (
    <div
      className="min-w-0 grow md:max-w-64 md:basis-44"
      {...draft.composition}
      onKeyDown={(event) => draft.enter(event, onAgain)}
    >
      <SearchInput
        value={draft.text}
        onChange={draft.change}
        placeholder={keyword.placeholder}
        shortcut="/"
      />
    </div>
  );
}
