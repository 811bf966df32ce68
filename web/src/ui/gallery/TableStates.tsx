import { Copy, Pencil, Plus, Trash2 } from "lucide-react";
import { useEffect, useEffectEvent, useState } from "react";
import { z } from "zod";
import { Button } from "#ui/controls/Button.tsx";
import { Badge } from "#ui/feedback/Badge.tsx";
import { Section } from "#ui/layout/Section.tsx";
import { Sheet } from "#ui/overlays/Sheet.tsx";
import type {
  BulkAction,
  Column,
  Filter,
  ListPage,
  ListQuery,
  RowAction,
} from "#ui/table/column.ts";
import { CopyCell } from "#ui/table/CopyCell.tsx";
import { CutText } from "#ui/table/CutText.tsx";
import { InlineNumber } from "#ui/table/InlineNumber.tsx";
import { ListBanners } from "#ui/table/ListBanners.tsx";
import { ListScreen } from "#ui/table/ListScreen.tsx";
import { listSearch, useListSearch } from "#ui/table/list-search.ts";
import { NoRows } from "#ui/table/NoRows.tsx";
import { SwitchCell } from "#ui/table/SwitchCell.tsx";
import { TimeCell } from "#ui/table/TimeCell.tsx";
import { Tip } from "#ui/table/TipArea.tsx";
import type { Tone } from "#ui/tone.ts";

/** A shelf of invented books: no words of the product. */
type Book = {
  readonly id: number;
  readonly title: string;
  readonly author: string;
  readonly shelf: string;
  readonly state: "on loan" | "on shelf" | "lost";
  readonly code: string;
  readonly loans: number;
  readonly rank: number;
  readonly lendable: boolean;
  readonly seenAt: number;
};

const authors = ["Ines Abara", "陈青禾", "J. Whitlock", "Ола Берг", "M. de Freitas"];
const titles = [
  "Tide tables",
  "雨季手记",
  "The glass orchard",
  "A field guide to fog",
  "长路与短歌",
];
const shelves = ["north", "south", "attic"];
const states = ["on shelf", "on loan", "on shelf", "lost"] as const;
const tones: Readonly<Record<Book["state"], Tone>> = {
  "on shelf": "success",
  "on loan": "info",
  lost: "danger",
};

function pick<Value>(
  values: readonly [Value, ...Value[]] | readonly Value[],
  index: number,
): Value {
  const value = values[index % values.length];
  if (value === undefined) throw new Error("nothing to pick from");
  return value;
}

function makeBooks(count: number): readonly Book[] {
  const now = Math.floor(Date.now() / 1000);
  return Array.from({ length: count }, (_, index) => ({
    id: 1000 + count - index,
    title: `${pick(titles, index * 3)}${index % 11 === 4 ? ", with notes on everything that was left out of the first edition" : ""}`,
    author: pick(authors, index),
    shelf: pick(shelves, index * 5),
    state: pick(states, index * 7),
    code: `bk-${(index * 7919 + 104_729).toString(36)}••••${(index * 31 + 1296).toString(36)}`,
    loans: (index * 7919) % 134_000,
    rank: index % 10,
    lendable: index % 3 !== 0,
    seenAt: index % 13 === 0 ? 0 : now - index * index * 41,
  }));
}

const books = makeBooks(1003);

const columns: readonly Column<Book>[] = [
  { id: "id", title: "ID", width: 64, sort: true, cell: (row) => row.id, card: "line" },
  {
    id: "title",
    title: "Title",
    width: 200,
    grow: true,
    card: "title",
    sort: true,
    cell: (row) => <CutText>{row.title}</CutText>,
  },
  { id: "author", title: "Author", width: 120, cell: (row) => row.author },
  { id: "shelf", title: "Shelf", cell: (row) => row.shelf, hidden: true, csv: (row) => row.shelf },
  {
    id: "state",
    title: "State",
    card: "status",
    cell: (row) => <Badge tone={tones[row.state]}>{row.state}</Badge>,
  },
  {
    id: "code",
    title: "Code",
    width: 180,
    cell: (row) => <CopyCell text={row.code} label="code" />,
  },
  {
    id: "loans",
    title: "Loans",
    align: "right",
    sort: true,
    card: "figure",
    cell: (row) => (
      <Tip text={row.loans.toLocaleString()}>{`${(row.loans / 1000).toFixed(1)}k`}</Tip>
    ),
  },
  { id: "rank", title: "Rank", align: "right", card: "figure", cell: (row) => <Rank book={row} /> },
  { id: "lendable", title: "Lendable", cell: (row) => <Lendable book={row} /> },
  {
    id: "seenAt",
    title: "Seen",
    width: 110,
    sort: true,
    cell: (row) => <TimeCell seconds={row.seenAt} none="never" />,
  },
];

/** Says no now and then, so that the way back can be seen. */
function pretendToSave(refuses: boolean): Promise<void> {
  return new Promise((resolve, reject) => {
    setTimeout(() => (refuses ? reject(new Error("That shelf is closed")) : resolve()), 700);
  });
}

function Rank({ book }: { readonly book: Book }) {
  const [rank, setRank] = useState(book.rank);
  return (
    <InlineNumber
      value={rank}
      label={`Rank of ${book.title}`}
      min={0}
      max={99}
      onSave={async (next) => {
        await pretendToSave(next === 13);
        setRank(next);
      }}
    />
  );
}

function Lendable({ book }: { readonly book: Book }) {
  const [lendable, setLendable] = useState(book.lendable);
  return (
    <SwitchCell
      checked={lendable}
      label={`Lend ${book.title}`}
      onChange={async (next) => {
        await pretendToSave(book.state === "lost");
        setLendable(next);
      }}
    />
  );
}

const rowActions: readonly RowAction<Book>[] = [
  { key: "edit", label: "Edit", icon: <Pencil size={14} />, onSelect: () => {} },
  {
    key: "remove",
    label: "Remove",
    tone: "danger",
    icon: <Trash2 size={14} />,
    onSelect: () => {},
    disabled: (row) => (row.state === "on loan" ? "It is on loan." : undefined),
  },
  { key: "copy", label: "Duplicate", icon: <Copy size={14} />, onSelect: () => {} },
  { key: "find", label: "Mark as found", onSelect: () => {}, shown: (row) => row.state === "lost" },
  {
    key: "label",
    label: "Print a label",
    onSelect: () => {},
    disabled: (row) => (row.code === "" ? "It has no code." : undefined),
  },
];

const bulkActions: readonly BulkAction<Book>[] = [
  {
    key: "shelve",
    label: "Shelve",
    onSelect: async (rows) => {
      await pretendToSave(false);
      const failed = rows.filter((row) => row.state === "lost");
      return {
        done: rows.length - failed.length,
        failed: failed.map((row) => ({ id: String(row.id), reason: "It is lost" })),
      };
    },
  },
  { key: "remove", label: "Remove", tone: "danger", onSelect: () => pretendToSave(false) },
];

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

/** What a server would do, at the pace of one. */
function useBooks(asked: BookSearch): ListQuery<Book> {
  const [answer, setAnswer] = useState({ data: findBooks(asked), to: "", at: 0 });
  const [readings, setReadings] = useState(0);
  const { open: _open, expanded: _expanded, ...question } = asked;
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

function findBooks(asked: BookSearch): ListPage<Book> {
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
  // Only columns of the book are sortable.
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

/** One list that works, with everything a list can have. */
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

const ignore = () => {};
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

/** Every state of a list, one below the other. */
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
