import { useQuery } from "@tanstack/react-query";
import type { ListSearch, SetListSearch } from "#ui/table/list-search.ts";
import { EntryHistory } from "#widgets/entries/EntryHistory.tsx";
import { entriesQuery, fetchEntries } from "./account.api.ts";

/** The list of all changes of the user's balance, newest first. */
export function HistoryPart(props: {
  readonly search: ListSearch;
  readonly onSearch: SetListSearch;
}) {
  const { page, size } = props.search;
  const query = useQuery(entriesQuery(page, size));
  return <EntryHistory {...props} query={query} statement={query.data} fetchPage={fetchEntries} />;
}
