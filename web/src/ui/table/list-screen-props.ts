import type { ComponentType, ReactNode } from "react";
import type {
  BulkAction,
  Column,
  FetchPage,
  Filter,
  Keyword,
  ListQuery,
  ReadAll,
  RowAction,
} from "./column.ts";
import type { FewRowsHint } from "./FewRows.tsx";
import type { ListSearch, SetListSearch } from "./list-search.ts";
import type { ToolProps } from "./tools/ListTools.tsx";

/** The props of a list screen. */
export type ListScreenProps<Row, Search extends ListSearch> = {
  /** Unique among the console's tables; the settings of this table are stored under it. */
  readonly id: string;
  readonly title: string;
  readonly description?: ReactNode;
  readonly search: Search;
  readonly onSearch: SetListSearch<Search>;
  readonly query: ListQuery<Row>;
  /**
   * Reads further pages with the same filters and order, for the CSV file and for bulk actions on
   * all matching rows.
   */
  readonly fetchPage?: FetchPage<Row>;
  /** Reads all rows at once, for files of up to a million; absent: they are read page by page. */
  readonly readAll?: ReadAll<Row>;
  /**
   * Must stay the same array (module constant or `useMemo`): a new one makes all rows draw again.
   */
  readonly columns: readonly Column<Row>[];
  readonly rowId: (row: Row) => string;
  /** Returns the name of a row for the labels of its buttons, which screen readers read. */
  readonly rowName: (row: Row) => string;
  readonly keyword?: Keyword;
  readonly filters?: readonly Filter[];
  /** Shown to the right of the title. */
  readonly actions?: ReactNode;
  /**
   * Further controls that choose what the list shows. On a phone they are in the sheet with the
   * filters.
   */
  readonly controls?: ReactNode;
  /**
   * How many of `controls` are not at their default; counted in the number on the button of the
   * phone's filter sheet.
   */
  readonly controlsSet?: number;
  readonly summary?: ReactNode;
  /** The popup of views that are kept elsewhere than in this browser. */
  readonly viewsPopup?: ComponentType<ToolProps>;
  /**
   * How many rows at the end of a page are not among those that are counted, such as their sums; by
   * default none.
   */
  readonly footerRows?: number;
  /**
   * The first two actions show as buttons, the others are in a menu; a right click shows all. Must
   * stay the same array.
   */
  readonly rowActions?: readonly RowAction<Row>[];
  readonly bulkActions?: readonly BulkAction<Row>[];
  /** How many records the selected rows are, where a row may stand for several; by default one each. */
  readonly countSelected?: (rows: readonly Row[]) => number;
  /** Whether rows can be selected; by default they can if there are bulk actions. */
  readonly selectable?: boolean;
  readonly expand?: (row: Row) => ReactNode;
  /** Called when a row is opened. If given, the cell that names the record is a button. */
  readonly onOpen?: (row: Row) => void;
  /**
   * Called for a right click on a row of a list without row actions; absent: the browser's own menu
   * opens. On a keyboard it is the menu key.
   */
  readonly onRightClick?: ((row: Row) => void) | undefined;
  readonly rowTone?: (row: Row) => "muted" | undefined;
  /** Shown when the list has no row and no filter: what would be here, and the one next step. */
  readonly empty: {
    readonly title: string;
    readonly description: ReactNode;
    readonly action: ReactNode;
    /** A command that makes the first row, as a `CodeBlock`. */
    readonly command?: ReactNode;
  };
  /** What to do next with a list that has only begun. */
  readonly few?: FewRowsHint | undefined;
  /** Shown before "updated … ago", such as the switch of the live log. */
  readonly live?: ReactNode;
  /** The sheets and dialogs that the screen opens. */
  readonly children?: ReactNode;
};
