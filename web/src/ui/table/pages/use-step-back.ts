import { useEffect } from "react";
import type { ListQuery } from "#ui/table/column.ts";
import type { ListSearch, SetListSearch } from "#ui/table/list-search.ts";
import { pageBefore } from "./page-steps.ts";

/**
 * Goes to the last page when the address names one that does not exist, as after the last rows of a
 * list were deleted.
 */
export function useStepBack(
  search: ListSearch,
  query: ListQuery<unknown>,
  onSearch: SetListSearch,
): void {
  const { data, isFetching } = query;
  useEffect(() => {
    if (isFetching || data === undefined || data.items.length > 0) return;
    const page = pageBefore(search.page, search.size, data.total);
    if (page !== null) onSearch({ page }, { replace: true });
  }, [data, isFetching, search.page, search.size, onSearch]);
}
