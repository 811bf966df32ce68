/**
 * The neutral form of what another gateway has. Readers bring its rows to this form, one file for
 * each program; the rest of the module knows no program. Amounts are whole quota units of the
 * source, times Unix seconds.
 */

import type { ForeignDatabase } from "#db/foreign.ts";
import type {
  NeutralChannel,
  NeutralCode,
  NeutralHistory,
  NeutralToken,
  NeutralUser,
} from "#ports/neutral.ts";
import type { Values } from "./values.ts";

export type { NeutralChannel, NeutralCode, NeutralHistory, NeutralToken, NeutralUser };

/** What a source says once for all. */
export type NeutralSettings = {
  /** How many quota units are a dollar there. */
  readonly quotaPerUnit: number;
  /** Parts of a price list, by their names, as JSON. */
  readonly prices: ReadonlyMap<string, string>;
  /** Who issued the OpenID Connect ids of users; empty: not known. */
  readonly oidcIssuer: string;
};

/** How the rows of a table are read. */
export type TableReader<Row> = {
  readonly table: string;
  /** The column that rows are ordered and known by. */
  readonly key: string;
  /** The columns that there must be. */
  readonly needs: readonly string[];
  /** The columns that are known and have no place here, with nothing lost. */
  readonly plain: readonly string[];
  /** @throws RowFault */
  read(values: Values): Row;
};

/** How a table of calls is read, of which only the newest may be wanted. */
export type LogReader = TableReader<NeutralHistory> & {
  /** The column with the time of a row, in Unix seconds. */
  readonly time: string;
};

/** What a reader needs to know of this installation and of the operator. */
export type ReadingFor = {
  /** How many quota units are a dollar here. */
  readonly dollar: number;
  /** What users get who may spend any amount there, in dollars. */
  readonly unlimitedDollars: number;
  /** Reads a secret that a source names instead of having it; undefined: there is none. */
  readonly readSecret: (name: string) => string | undefined;
};

/** What knows the tables of one program. */
export type Reader = {
  readonly kind: string;
  /** Whether a database with these tables is one of the program. */
  recognizes(tables: ForeignDatabase["tables"]): boolean;
  /** The tables that a database of the program must have. */
  needs(tables: ForeignDatabase["tables"]): readonly NeededTable[];
  /** @throws ForeignError */
  open(source: ForeignDatabase, asked: ReadingFor): Promise<OpenReader>;
};

type NeededTable = Pick<TableReader<unknown>, "needs" | "table">;

/** A reader of one source. Tables that are not there are passed over. */
export type OpenReader = {
  readonly kind: string;
  readonly users: readonly TableReader<NeutralUser>[];
  /** Users that stand in no table, because there they are nobody. */
  readonly madeUsers: readonly NeutralUser[];
  readonly tokens: readonly TableReader<NeutralToken>[];
  readonly channels: readonly TableReader<NeutralChannel>[];
  readonly codes: readonly TableReader<NeutralCode>[];
  readonly orders: readonly TableReader<NeutralHistory>[];
  readonly logs: readonly LogReader[];
  readonly settings: NeutralSettings;
  /** Tables that hold nothing but what follows from others, or that `settings` were read from. */
  readonly derived: readonly string[];
};

/** A neutral row by its kind. */
type NeutralRows = {
  readonly user: NeutralUser;
  readonly token: NeutralToken;
  readonly channel: NeutralChannel;
  readonly code: NeutralCode;
  readonly order: NeutralHistory;
  readonly log: NeutralHistory;
};

export type RowKind = keyof NeutralRows;
