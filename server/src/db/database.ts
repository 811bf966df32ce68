import type { Kysely } from "kysely";
import type { AuditTable } from "./tables/audit.ts";
import type { ChannelKeyTable, ChannelTable } from "./tables/channels.ts";
import type { ConfigChangeTable, ConfigClockTable, MetaTable, NodeTable } from "./tables/config.ts";
import type {
  BalanceTable,
  CounterTable,
  EntryTable,
  ReservationTable,
  TokenBalanceTable,
  UsageHourTable,
} from "./tables/ledger.ts";
import type { LogTable } from "./tables/logs.ts";
import type { OptionTable, PriceVersionTable } from "./tables/options.ts";
import type { TokenTable } from "./tables/tokens.ts";
import type { SessionTable, UserTable } from "./tables/users.ts";

/** Every table, one line each, sorted. */
export type Database = {
  audit_log: AuditTable;
  balances: BalanceTable;
  channel_keys: ChannelKeyTable;
  channels: ChannelTable;
  config_changes: ConfigChangeTable;
  config_clock: ConfigClockTable;
  counters: CounterTable;
  entries: EntryTable;
  logs: LogTable;
  meta: MetaTable;
  nodes: NodeTable;
  options: OptionTable;
  price_versions: PriceVersionTable;
  reservations: ReservationTable;
  sessions: SessionTable;
  token_balances: TokenBalanceTable;
  tokens: TokenTable;
  usage_hours: UsageHourTable;
  users: UserTable;
};

/** A connection or an open transaction; a repo function never cares which. */
export type Db = Kysely<Database>;
