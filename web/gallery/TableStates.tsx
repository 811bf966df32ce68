import { Plus } from "lucide-react";
import { useEffect, useEffectEvent, useState } from "react";
import { z } from "zod";
import { Button } from "#ui/controls/Button.tsx";
import { Section } from "#ui/layout/Section.tsx";
import { Sheet } from "#ui/overlays/Sheet.tsx";
import type { Filter, ListPage, ListQuery } from "#ui/table/column.ts";
import { ListBanners } from "#ui/table/ListBanners.tsx";
import { ListScreen } from "#ui/table/ListScreen.tsx";
import { listSearch, useListSearch } from "#ui/table/list-search.ts";
import { NoRows } from "#ui/table/NoRows.tsx";
import {
  authors,
  type Book,
  books,
  bulkActions,
  columns,
  pretendToRead,
  rowActions,
} from "./books.tsx";

const filters: readonly Filter[] = [
  {
    name: "state",
    label: "State",
    kind: "select",
    items: ["on shelf", "on loan", "lost"].map((value) => ({ value, label: value })),
  },
  {
    name: "author",
    label: "Author",
    kind: "combobox",
    items: authors.map((value) => ({ value, label: value })),
  },
  { name: "start", end: "end", label: "Seen", kind: "time" },
];

const search = listSearch.extend({
  keyword: z.string().catch(""),
  state: z.string().catch(""),
  author: z.string().catch(""),
  start: z.coerce.number().catch(0),
  end: z.coerce.number().catch(0),
});
type BookSearch = z.output<typeof search>;

/** Answers a search for books after a delay like that of a server. */
function useBooks(asked: BookSearch): ListQuery<Book> {
  const [answer, setAnswer] = useState({ data: findBooks(asked), to: "", at: 0 });
  const [readings, setReadings] = useState(0);
  const { open: _open, peek: _peek, expanded: _expanded, ...question } = asked;
  const key = JSON.stringify([readings, question]);
  const read = useEffectEvent(() => setAnswer({ data: findBooks(asked), to: key, at: Date.now() }));
  useEffect(() => {
    const timer = setTimeout(read, 150);
    return () => clearTimeout(timer);
  }, [key]);
  return {
    data: answer.at === 0 ? undefined : answer.data,
    isFetching: answer.to !== key,
    error: null,
    dataUpdatedAt: answer.at,
    refetch: () => setReadings(readings + 1),
  };
}

function findBooks(asked: Omit<BookSearch, "size"> & { readonly size: number }): ListPage<Book> {
  const { page, size, sort, keyword, state, author, start, end } = asked;
  const found = books.filter(
    (book) =>
      book.title.includes(keyword) &&
      (state === "" || book.state === state) &&
      (author === "" || book.author === author) &&
      book.seenAt >= start &&
      (end === 0 || book.seenAt <= end),
  );
  const sorted = sort === "" ? found : found.toSorted(bySort(sort));
  return { items: sorted.slice((page - 1) * size, page * size), total: found.length };
}

function bySort(sort: string) {
  const down = sort.startsWith("-");
  // Safe cast: only columns that show one of these fields of a book are sortable.
  const key = sort.replace("-", "") as "id" | "loans" | "seenAt" | "title";
  return (a: Book, b: Book) => {
    const order = a[key] < b[key] ? -1 : Number(a[key] > b[key]);
    return down ? -order : order;
  };
}

const common = {
  title: "Books",
  columns,
  rowActions,
  rowId: (row: Book) => String(row.id),
  rowName: (row: Book) => row.title,
  rowTone: (row: Book) => (row.state === "lost" ? ("muted" as const) : undefined),
  keyword: { name: "keyword", placeholder: "Search titles" },
  empty: {
    title: "No books yet",
    description: "Books that are catalogued stand here.",
    action: <Button variant="primary">Add a book</Button>,
  },
};

/** A list that works, with every feature that a list can have. */
export function WorkingTable() {
  const [asked, setAsked] = useListSearch(search);
  const query = useBooks(asked);
  return (
    <ListScreen
      {...common}
      id="gallery"
      description="Everything a list can have; the data are invented."
      search={asked}
      onSearch={setAsked}
      query={query}
      fetchPage={(window) => pretendToRead(() => findBooks({ ...asked, ...window }))}
      filters={filters}
      bulkActions={bulkActions}
      expand={(row) => `${row.author}, shelf ${row.shelf}`}
      onOpen={(row) => setAsked({ open: String(row.id) })}
      actions={
        <Button
          variant="primary"
          icon={<Plus size={16} />}
          onClick={() => setAsked({ open: "new" })}
        >
          Add
        </Button>
      }
    >
      <Sheet open={asked.open !== ""} onClose={() => setAsked({ open: "" })} title={asked.open}>
        The form of this record.
      </Sheet>
    </ListScreen>
  );
}

const ignore = () => {};

type StateName =
  | "loading"
  | "refetch"
  | "empty"
  | "failed"
  | "stale"
  | "forbidden"
  | "unknown"
  | "many";

const refused = Object.assign(new Error("无权进行此操作，权限不足"), { status: 200 });
const broken = Object.assign(new Error("The server did not answer"), { status: 502 });
const page = { items: books.slice(0, 3), total: 3 };
const queries: Readonly<Record<StateName, Partial<ListQuery<Book>>>> = {
  loading: { isFetching: true },
  refetch: { isFetching: true, data: page },
  empty: { data: { items: [], total: 0 } },
  failed: { error: broken },
  stale: { data: page, error: broken },
  forbidden: { error: refused },
  many: { data: { items: books, total: books.length } },
  unknown: { data: { items: books.slice(0, 10), total: null } },
};
const stateNames: readonly { readonly name: StateName; readonly title: string }[] = [
  { name: "loading", title: "First load" },
  { name: "refetch", title: "Reading again" },
  { name: "empty", title: "Empty, never filled" },
  { name: "failed", title: "Failed" },
  { name: "stale", title: "Failed, with rows" },
  { name: "forbidden", title: "No permission" },
  { name: "unknown", title: "Unknown total" },
  { name: "many", title: "More than a hundred rows at once" },
];

function OneState({ name }: { readonly name: StateName }) {
  const [asked, setAsked] = useListSearch(search);
  const query = { data: undefined, isFetching: false, error: null, dataUpdatedAt: 0, refetch() {} };
  return (
    <ListScreen
      {...common}
      id={`gallery-${name}`}
      search={{ ...asked, page: 1, size: 10 }}
      onSearch={setAsked}
      query={{ ...query, ...queries[name] }}
    />
  );
}

const nothing = { empty: common.empty, error: null, onRetry: ignore, onClear: ignore };
const partial = {
  label: "Shelve",
  done: 12,
  total: 14,
  failed: [
    { id: "1", name: "Tide tables", reason: "It is lost" },
    { id: "2", name: "雨季手记", reason: "It is on loan" },
  ],
};
const news = { error: null, onRetry: ignore, onDismiss: ignore };

/** A list in each of its states, one below the other. */
export function TableStates() {
  return (
    <div className="flex flex-col gap-6">
      {stateNames.map(({ name, title }) => (
        <Section key={name} title={title}>
          <OneState name={name} />
        </Section>
      ))}
      <Section title="Nothing found, offline, changed in part">
        <NoRows state="empty-filtered" {...nothing} />
        <NoRows state="offline" {...nothing} />
        <ListBanners {...news} online={false} partial={null} />
        <ListBanners {...news} online partial={partial} />
      </Section>
    </div>
  );
}
