import { useQuery } from "@tanstack/react-query";
import type { SetListSearch } from "#ui/table/list-search.ts";
import { EntryHistory, type EntrySearch } from "#widgets/entries/EntryHistory.tsx";
import { entriesQuery, fetchEntries } from "./account.api.ts";

/** The list of all changes of the user's balance, newest first. */
export function HistoryPart(props: {
  readonly search: EntrySearch;
  readonly onSearch: SetListSearch;
}) {
  const { keyword } = props.search;
  const query = useQuery(entriesQuery(props.search));
  return (
    <EntryHistory
      {...props}
      query={query}
      statement={query.data}
      fetchPage={(window, signal) => fetchEntries({ ...window, keyword }, signal)}
    />
  );
}
