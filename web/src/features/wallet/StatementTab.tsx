import type { ListSearch, SetListSearch } from "#ui/table/list-search.ts";
import { EntryHistory } from "#widgets/entries/EntryHistory.tsx";
import { readOwnEntries, useOwnEntries } from "./wallet.api.ts";

/** Every change of the user's balance, newest first. */
export function StatementTab(props: {
  readonly search: ListSearch;
  readonly onSearch: SetListSearch;
}) {
  const query = useOwnEntries(props.search);
  return (
    <EntryHistory {...props} query={query} statement={query.data} fetchPage={readOwnEntries} />
  );
}
