/**
 * Databases of other gateways as their programs make them, with users who have everything that an
 * import must bring. The definitions are those of each age; the rows are made up.
 */

import { Database as Sqlite } from "bun:sqlite";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createPostgresDatabase } from "#db/testing/postgres.ts";

/** The names of columns by table, in the words of the store that has them. */
export type Age = {
  readonly kind: string;
  /** How the age is called in the names of tests. */
  readonly name: string;
  readonly tables: Readonly<Record<string, readonly string[]>>;
};

const userColumns = [
  "id integer primary key",
  "username text",
  "password text not null",
  "display_name text",
  "role bigint default 1",
  "status bigint default 1",
  "email text",
  "github_id text",
  "wechat_id text",
  "access_token char(32)",
  "quota bigint default 0",
  "used_quota bigint default 0",
  "request_count bigint default 0",
  "\"group\" varchar(64) default 'default'",
  "aff_code varchar(32)",
  "inviter_id bigint",
] as const;
const laterUsers = [
  "telegram_id text",
  "oidc_id text",
  "linux_do_id text",
  "aff_count bigint default 0",
  "aff_quota bigint default 0",
  "aff_history bigint default 0",
  "deleted_at datetime",
  "setting text",
] as const;
const tokenColumns = [
  "id integer primary key",
  "user_id bigint",
  '"key" varchar(128)',
  "status bigint default 1",
  "name text",
  "created_time bigint",
  "accessed_time bigint",
  "expired_time bigint default -1",
  "remain_quota bigint default 0",
  "unlimited_quota numeric default 0",
  "used_quota bigint default 0",
] as const;
const limitColumns = [
  "model_limits_enabled numeric default 0",
  "model_limits text",
  "allow_ips text",
  "\"group\" text default ''",
  "deleted_at datetime",
] as const;
const channelColumns = [
  "id integer primary key",
  "type bigint default 0",
  '"key" text not null',
  "status bigint default 1",
  "name text",
  "weight bigint default 0",
  "created_time bigint",
  "base_url text",
  "other text",
  "models text",
  "\"group\" varchar(64) default 'default'",
  "used_quota bigint default 0",
  "model_mapping text",
  "priority bigint default 0",
] as const;
const laterChannels = [
  "openai_organization text",
  "test_model text",
  "status_code_mapping text",
  "auto_ban bigint default 1",
  "other_info text",
  "tag text",
  "setting text",
  "param_override text",
] as const;
const codeColumns = [
  "id integer primary key",
  "user_id bigint",
  '"key" char(32)',
  "status bigint default 1",
  "name text",
  "quota bigint default 100",
  "created_time bigint",
  "redeemed_time bigint",
] as const;
const optionColumns = ['"key" varchar(191) primary key', "value text"] as const;
const abilities = ['"group" varchar(64)', "model text", "channel_id bigint"] as const;

const logColumns = [
  "id integer primary key",
  "user_id bigint",
  "created_at bigint",
  "type bigint",
  "content text",
  "username text default ''",
  "token_name text default ''",
  "model_name text default ''",
  "quota bigint default 0",
  "prompt_tokens bigint default 0",
  "completion_tokens bigint default 0",
  "use_time bigint default 0",
  "is_stream numeric default 0",
  "channel_id bigint",
  "token_id bigint default 0",
  "\"group\" text default ''",
  "other text",
] as const;

const newApiEarly = {
  users: [...userColumns, ...laterUsers],
  tokens: [...tokenColumns, ...limitColumns],
  channels: [...channelColumns, ...laterChannels],
  redemptions: [...codeColumns, "used_user_id bigint", "deleted_at datetime"],
  options: optionColumns,
  abilities,
  logs: logColumns,
} as const;
const newApiLate = {
  ...newApiEarly,
  users: [...newApiEarly.users, "stripe_customer varchar(64)", "remark varchar(255)"],
  channels: [...newApiEarly.channels, "channel_info text", "remark text"],
  redemptions: [...newApiEarly.redemptions, "expired_time bigint default 0"],
  top_ups: [
    "id integer primary key",
    "user_id bigint",
    "amount bigint",
    "money real",
    "trade_no text",
    "payment_method text",
    "create_time bigint",
    "complete_time bigint",
    "status text",
  ],
} as const;

/** Every age that is imported in the tests. */
export const ages: readonly Age[] = [
  { kind: "new-api", name: "new-api of early 2025", tables: newApiEarly },
  { kind: "new-api", name: "new-api of late 2025", tables: newApiLate },
  {
    kind: "new-api",
    name: "new-api of 2026",
    tables: {
      ...newApiLate,
      users: [...newApiLate.users, "discord_id text"],
      tokens: [...newApiLate.tokens, "cross_group_retry numeric default 0"],
      channels: [...newApiLate.channels, "settings text", "header_override text"],
    },
  },
  {
    kind: "one-api",
    name: "one-api of 2024",
    tables: {
      users: userColumns,
      tokens: [...tokenColumns, "models text", "subnet text"],
      channels: channelColumns,
      redemptions: codeColumns,
      options: optionColumns,
    },
  },
  {
    kind: "one-api",
    name: "one-api of 2025",
    tables: {
      users: [...userColumns, "lark_id text", "oidc_id text"],
      tokens: [...tokenColumns, "models text", "subnet text"],
      channels: [...channelColumns, "config text", "system_prompt text"],
      redemptions: codeColumns,
      options: optionColumns,
    },
  },
  {
    kind: "one-hub",
    name: "one-hub of 2025",
    tables: {
      users: [...userColumns, ...laterUsers, "lark_id text", "avatar_url text"],
      tokens: [
        ...tokenColumns,
        "\"group\" text default ''",
        "backup_group text default ''",
        "deleted_at datetime",
        "setting text",
      ],
      channels: [...channelColumns, "tag text", "proxy text", "only_chat numeric default 0"],
      redemptions: codeColumns,
      options: optionColumns,
      prices: [
        "model varchar(100)",
        "type varchar(20)",
        "channel_type bigint",
        "input double precision",
        "output double precision",
      ],
      user_groups: [
        "id integer primary key",
        "symbol varchar(50)",
        "name text",
        "ratio double precision",
      ],
    },
  },
  {
    kind: "veloera",
    name: "Veloera of 2025",
    tables: {
      ...newApiEarly,
      users: [...newApiEarly.users, "last_check_in_time datetime"],
      tokens: [
        ...newApiEarly.tokens,
        "rate_limit_enabled numeric default 0",
        "frequency bigint default 60",
        '"limit" bigint default 1000',
        "successful_limit bigint default 10",
      ],
    },
  },
];

type Value = number | string | null;
type SourceRow = Readonly<Record<string, Value>>;

/** A database of another gateway. What is written is there once it is settled. */
export type Source = {
  /** The file, or the server's address with the name of the database. */
  readonly address: string;
  insert(table: string, row: SourceRow): void;
  run(text: string): void;
  settle(): Promise<void>;
  remove(): Promise<void>;
};

/** Makes the empty database of an age in a SQLite file. */
export function makeSource({ tables }: Pick<Age, "tables">): Source {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-source-"));
  const address = join(folder, "one-api.db");
  const sqlite = new Sqlite(address, { create: true });
  for (const statement of createStatements(tables)) sqlite.run(statement);
  return {
    address,
    insert(table, row) {
      const [names, values] = knownValues(tables, table, row);
      const marks = names.map(() => "?").join(", ");
      const quoted = names.map((name) => `"${name}"`).join(", ");
      const text = `insert into ${table} (${quoted}) values (${marks})`;
      sqlite.query<unknown, Value[]>(text).run(...values);
    },
    run: (text) => void sqlite.run(text),
    settle: async () => {},
    async remove() {
      sqlite.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function createStatements(tables: Age["tables"]): string[] {
  return Object.entries(tables).map(
    ([name, columns]) => `create table ${name} (${columns.join(", ")})`,
  );
}

function nameOf(column: string): string {
  return column.split(" ")[0]?.replaceAll('"', "") ?? "";
}

/** Leaves out the values whose columns the age does not have. */
function knownValues(
  tables: Age["tables"],
  table: string,
  row: SourceRow,
): [names: string[], values: Value[]] {
  const known = (tables[table] ?? []).map(nameOf);
  const entries = Object.entries(row).filter(([name]) => known.includes(name));
  return [entries.map(([name]) => name), entries.map(([, value]) => value)];
}

/** How a server writes what the definitions above say in the words of SQLite. */
type ServerWords = {
  readonly quote: string;
  readonly words: readonly (readonly [sqlite: string, own: string])[];
  readonly parameter: (index: number) => string;
  /** The columns that are truth values there. */
  readonly flags: readonly string[];
};

const flags = ["cross_group_retry", "is_stream", "model_limits_enabled", "unlimited_quota"];

const postgresWords: ServerWords = {
  quote: '"',
  words: [
    ["integer primary key", "bigint primary key"],
    ["datetime", "timestamp with time zone"],
    ["numeric default 0", "boolean default false"],
  ],
  parameter: (index) => `$${index + 1}`,
  flags,
};

const mysqlWords: ServerWords = {
  quote: "`",
  words: [
    ["integer primary key", "bigint primary key"],
    ["datetime", "datetime(3)"],
    ["numeric default 0", "tinyint(1) default 0"],
    ["text", "longtext"],
  ],
  parameter: () => "?",
  flags: [],
};

/** Makes the empty database of an age on a PostgreSQL server. */
export async function makePostgresSource(age: Pick<Age, "tables">): Promise<Source> {
  const { url, drop } = await createPostgresDatabase();
  return await makeServerSource(age, url, postgresWords, drop);
}

/** Makes the empty database of an age on a MariaDB server. */
export async function makeMariaSource(age: Pick<Age, "tables">): Promise<Source> {
  const server = await startMaria();
  return await makeServerSource(age, server.address, mysqlWords, server.stop);
}

async function startMaria() {
  const script = join(import.meta.dir, "../../../../../scripts/mariadb.mjs");
  const child = Bun.spawn(["node", script], { stdin: "pipe", stdout: "pipe", stderr: "inherit" });
  const reader = child.stdout.getReader();
  const { value } = await reader.read();
  const address = new TextDecoder().decode(value).trim();
  if (address === "") throw new Error("MariaDB did not start");
  const stop = async (): Promise<void> => {
    void child.stdin.end();
    await child.exited;
  };
  return { address, stop };
}

/** @param address of the database; `drop` removes it. */
async function makeServerSource(
  { tables }: Pick<Age, "tables">,
  address: string,
  { quote, words, parameter, flags: truths }: ServerWords,
  drop: () => Promise<void>,
): Promise<Source> {
  const sql = new Bun.SQL(address, { max: 1 });
  const queue: (readonly [text: string, values: readonly unknown[]])[] = [];
  const own = (text: string): string =>
    words.reduce((told, [from, to]) => told.replaceAll(from, to), text).replaceAll('"', quote);
  for (const statement of createStatements(tables)) queue.push([own(statement), []]);
  return {
    address,
    insert(table, row) {
      const [names, values] = knownValues(tables, table, row);
      const marks = names.map((_, index) => parameter(index)).join(", ");
      const quoted = names.map((name) => quote + name + quote).join(", ");
      const given = values.map((value, index) =>
        truths.includes(names[index] ?? "") ? value !== 0 : value,
      );
      queue.push([`insert into ${table} (${quoted}) values (${marks})`, given]);
    },
    run: (text) => void queue.push([text, []]),
    async settle() {
      for (const [text, values] of queue.splice(0)) await sql.unsafe(text, [...values]);
    },
    async remove() {
      await sql.close();
      await drop();
    },
  };
}
