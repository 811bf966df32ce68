import { useQuery } from "@tanstack/react-query";
import { lazy, Suspense, useState } from "react";
import { withTexts } from "#i18n/t.ts";
import type { SetListSearch } from "#ui/table/list-search.ts";
import { EntryHistory, type EntrySearch } from "#widgets/entries/EntryHistory.tsx";
import { tagsQuery } from "#widgets/tags/tags-query.ts";
import { BalanceStory } from "./BalanceStory.tsx";
import { StatementFile } from "./StatementFile.tsx";
import { readOwnEntries, useOwnEntries } from "./wallet.api.ts";

// Loaded behind the lines, because few calls have tags.
const TagShares = lazy(async () => ({
  default: (await withTexts("tags", import("#widgets/tags/TagShares.tsx"))).TagShares,
}));

/** How far back the costs by tag reach. */
const taggedSeconds = 30 * 86_400;

function recent() {
  const end = Math.floor(Date.now() / 1_000);
  return { start: end - taggedSeconds, end };
}

/** Every change of the user's balance, newest first. */
export function StatementTab(props: {
  readonly search: EntrySearch;
  readonly onSearch: SetListSearch;
}) {
  const query = useOwnEntries(props.search);
  const [ofTags] = useState(recent);
  const tags = useQuery(tagsQuery(ofTags, false));
  return (
    <div className="flex min-w-0 flex-col gap-4">
      <BalanceStory />
      <StatementFile />
      <Suspense>
        <TagShares filters={ofTags} data={tags.data} />
      </Suspense>
      <EntryHistory
        {...props}
        query={query}
        statement={query.data}
        fetchPage={(window, signal) =>
          readOwnEntries({ ...window, keyword: props.search.keyword }, signal)
        }
      />
    </div>
  );
}
