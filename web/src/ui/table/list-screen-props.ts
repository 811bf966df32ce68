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

/** The props of a list screen. */
export type ListScreenProps<Row, Search extends ListSearch> = {
  /** Unique among the console's tables; this table's settings are stored under it. */
  readonly id: string;
  readonly title: string;
  readonly description?: ReactNode;
  readonly search: Search;
  readonly onSearch: SetListSearch<Search>;
  readonly query: ListQuery<Row>;
  /**
   * Reads further pages of the same filters and order: for the CSV file, and to change all matches.
   */
  readonly fetchPage?: FetchPage<Row>;
  /** Made once (module or `useMemo`): another array draws all rows again. */
  readonly columns: readonly Column<Row>[];
  readonly rowId: (row: Row) => string;
  /** The row's name in the labels of buttons, for screen readers. */
  readonly rowName: (row: Row) => string;
  readonly keyword?: Keyword;
  readonly filters?: readonly Filter[];
  /** Shown to the right of the title. */
  readonly actions?: ReactNode;
  /**
   * Further controls that choose what the list shows; on a phone they are in the sheet of the
   * filters.
   */
  readonly controls?: ReactNode;
  /** How many of `controls` are not at their default, for the number on that sheet's button. */
  readonly controlsSet?: number;
  readonly summary?: ReactNode;
  /** The first two show as buttons, the others in a menu; a right click shows all. Made once. */
  readonly rowActions?: readonly RowAction<Row>[];
  readonly bulkActions?: readonly BulkAction<Row>[];
  /** Rows can be selected; bulk actions imply it. */
  readonly selectable?: boolean;
  readonly expand?: (row: Row) => ReactNode;
  /** Called when a row is opened; its presence makes the primary cell a button. */
  readonly onOpen?: (row: Row) => void;
  readonly rowTone?: (row: Row) => "muted" | undefined;
  readonly empty: {
    readonly title: string;
    readonly description?: ReactNode;
    readonly action?: ReactNode;
  };
  /** Shown before "updated … ago", such as the live tail's switch. */
  readonly live?: ReactNode;
  /** Sheets and other parts that the screen opens. */
  readonly children?: ReactNode;
};
