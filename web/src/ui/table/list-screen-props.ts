import type { ReactNode } from "react";
import type {
  BulkAction,
  Column,
  FetchPage,
  Filter,
  Keyword,
  ListQuery,
  RowAction,
} from "./column.ts";
import type { ListSearch, SetListSearch } from "./list-search.ts";

/** What a screen says of its list. */
export type ListScreenProps<Row, Search extends ListSearch> = {
  /** Unique among the console's tables; settings of this one are kept under it. */
  readonly id: string;
  readonly title: string;
  readonly description?: ReactNode;
  readonly search: Search;
  readonly onSearch: SetListSearch<Search>;
  readonly query: ListQuery<Row>;
  /** The same filters and order by page: for the CSV file, and for changing all that match. */
  readonly fetchPage?: FetchPage<Row>;
  /** Made once (module or `useMemo`): rows are drawn again when it is another array. */
  readonly columns: readonly Column<Row>[];
  readonly rowId: (row: Row) => string;
  /** What the row is called in names of buttons; for screen readers. */
  readonly rowName: (row: Row) => string;
  readonly keyword?: Keyword;
  readonly filters?: readonly Filter[];
  /** At the right of the title. */
  readonly actions?: ReactNode;
  readonly summary?: ReactNode;
  /** The first two are shown, the others stand in a menu; a right click has all. Made once. */
  readonly rowActions?: readonly RowAction<Row>[];
  readonly bulkActions?: readonly BulkAction<Row>[];
  /** Rows can be selected; so they can with bulk actions. */
  readonly selectable?: boolean;
  readonly expand?: (row: Row) => ReactNode;
  /** Makes the primary cell a button. */
  readonly onOpen?: (row: Row) => void;
  readonly rowTone?: (row: Row) => "muted" | undefined;
  readonly empty: {
    readonly title: string;
    readonly description?: ReactNode;
    readonly action?: ReactNode;
  };
  /** Before "updated … ago", such as a live tail's switch. */
  readonly live?: ReactNode;
  /** Sheets. */
  readonly children?: ReactNode;
};
