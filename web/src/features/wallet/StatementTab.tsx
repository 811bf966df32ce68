import type { SetListSearch } from "#ui/table/list-search.ts";
import { EntryHistory, type EntrySearch } from "#widgets/entries/EntryHistory.tsx";
import { StatementFile } from "./StatementFile.tsx";
import { readOwnEntries, useOwnEntries } from "./wallet.api.ts";

/** Every change of the user's balance, newest first. */
export function StatementTab(props: {
  readonly search: EntrySearch;
  readonly onSearch: SetListSearch;
}) {
  const query = useOwnEntries(props.search);
  return (
    <>
      <StatementFile />
      <EntryHistory
        {...props}
        query={query}
        statement={query.data}
        fetchPage={(window, signal) =>
          readOwnEntries({ ...window, keyword: props.search.keyword }, signal)
        }
      />
    </>
  );
}
