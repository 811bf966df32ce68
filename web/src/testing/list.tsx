/** A list screen with made-up rows, for tests of what all lists have in common. */

import { z } from "zod";
import type { Column, ListQuery } from "#ui/table/column.ts";
import { ListScreen } from "#ui/table/ListScreen.tsx";
import type { ListScreenProps } from "#ui/table/list-screen-props.ts";
import { listSearch, useListSearch } from "#ui/table/list-search.ts";

export type Thing = { readonly id: number; readonly name: string; readonly size: number };

export function makeThings(count: number, from = 1): readonly Thing[] {
  return Array.from({ length: count }, (_, index) => ({
    id: from + index,
    name: `thing ${from + index}`,
    size: (index * 37) % 100,
  }));
}

export const thingSearch = listSearch.extend({
  keyword: z.string().catch(""),
  color: z.string().catch(""),
});
export type ThingSearch = z.output<typeof thingSearch>;

export const thingColumns: readonly Column<Thing>[] = [
  { id: "id", title: "ID", rank: 4, width: 40, cell: (row) => row.id },
  {
    id: "name",
    title: "Name",
    rank: 1,
    width: 160,
    grow: 1,
    cell: (row) => row.name,
    card: "title",
    sort: true,
  },
  {
    id: "size",
    title: "Size",
    rank: 2,
    width: 80,
    align: "right",
    card: "fact",
    cell: (row) => row.size,
  },
  {
    id: "note",
    title: "Note",
    rank: 5,
    width: 120,
    cell: (row) => `note of ${row.name}`,
    hidden: true,
  },
];

/** Makes the result of a query. Fields that are not given have the values of a successful read. */
export function queryOf(given: Partial<ListQuery<Thing>>): ListQuery<Thing> {
  return {
    data: undefined,
    isFetching: false,
    error: null,
    dataUpdatedAt: 0,
    refetch: () => undefined,
    ...given,
  };
}

/** Returns the query's result with the page of `things` that an address asks for. */
export function pageOf(things: readonly Thing[], search: ThingSearch): ListQuery<Thing> {
  const { page, size, keyword } = search;
  const found = things.filter((thing) => thing.name.includes(keyword));
  return queryOf({
    data: { items: found.slice((page - 1) * size, page * size), total: found.length },
  });
}

type Rest = Omit<
  ListScreenProps<Thing, ThingSearch>,
  "id" | "title" | "search" | "onSearch" | "query" | "columns" | "rowId" | "rowName" | "empty"
>;

const rowId = (row: Thing) => String(row.id);
const rowName = (row: Thing) => row.name;

/**
 * The list screen. `read` returns the query's result for an address; all other props go to
 * `ListScreen` unchanged.
 */
export function ThingList(
  props: Rest & {
    readonly read: (search: ThingSearch) => ListQuery<Thing>;
    readonly columns?: readonly Column<Thing>[];
  },
) {
  const { read, columns = thingColumns, ...rest } = props;
  const [search, setSearch] = useListSearch(thingSearch);
  return (
    <ListScreen
      id="things"
      title="Things"
      search={search}
      onSearch={setSearch}
      query={read(search)}
      columns={columns}
      rowId={rowId}
      rowName={rowName}
      keyword={{ name: "keyword", placeholder: "Find things" }}
      empty={{
        title: "No things yet",
        description: "Things stand here.",
        action: <button>Add</button>,
      }}
      {...rest}
    />
  );
}
