/**
 * Accounts of LiteLLM. Who pays there is a user, a team or an organisation, so each of them becomes
 * a user here. Amounts are dollars there; they become quota units here, rounded to the nearest one.
 */

import type { ForeignDatabase, ForeignRow } from "#db/foreign.ts";
import { plainNumber } from "#modules/configuration/configuration.ts";
import type { NeutralUser, ReadingFor, TableReader } from "#modules/import/import.ts";
import { openValues, RowFault, type Values } from "#modules/import/values.ts";

export const accountTables = {
  users: "LiteLLM_UserTable",
  teams: "LiteLLM_TeamTable",
  organizations: "LiteLLM_OrganizationTable",
  budgets: "LiteLLM_BudgetTable",
} as const;

const tables = accountTables;

/** What is known of accounts and budgets before rows are read. */
export type Known = {
  readonly dollar: number;
  readonly unlimited: number;
  /** Rows of budgets by their ids. */
  readonly budgets: ReadonlyMap<string, Values>;
  /** Ids of accounts, such as `team:<id>`. */
  readonly accounts: ReadonlySet<string>;
  /** The models of accounts that may not call all of them. */
  readonly models: ReadonlyMap<string, readonly string[]>;
};

/** The account that gets the keys that have no owner in LiteLLM. */
const nobody = "nobody";

/** Brings dollars to quota units. */
export function unitsOf(dollars: number, dollar: number): number {
  const [whole = "0", part = ""] = plainNumber(Math.abs(dollars)).split(".");
  const scale = 10n ** BigInt(part.length);
  const units = BigInt(whole + part) * BigInt(dollar);
  const rounded = Number((2n * units + scale) / (2n * scale));
  return dollars < 0 ? 0 - rounded : rounded;
}

const rowsAtOnce = 2_000;

/** Gives every row of a table to `use`, if there is such a table. */
async function eachRow(
  source: ForeignDatabase,
  table: string,
  key: string,
  use: (values: Values) => void,
): Promise<void> {
  if (!source.tables.has(table)) return;
  for (let after: string | null = null; ;) {
    const page: ForeignRow[] = await source.page(table, { key, after, limit: rowsAtOnce });
    for (const row of page) use(openValues(row));
    const last = page.at(-1)?.[key];
    if (page.length < rowsAtOnce || typeof last !== "string") return;
    after = last;
  }
}

export async function readKnown(source: ForeignDatabase, asked: ReadingFor): Promise<Known> {
  const budgets = new Map<string, Values>();
  const accounts = new Set<string>();
  const models = new Map<string, readonly string[]>();
  const note = (kind: string, column: string) => (values: Values) => {
    const id = `${kind}:${values.text(column)}`;
    accounts.add(id);
    const own = values.list("models");
    if (own.length > 0) models.set(id, own);
  };
  await eachRow(source, tables.budgets, "budget_id", (values) =>
    budgets.set(values.text("budget_id"), values),
  );
  await eachRow(source, tables.users, "user_id", note("user", "user_id"));
  await eachRow(source, tables.teams, "team_id", note("team", "team_id"));
  await eachRow(source, tables.organizations, "organization_id", note("org", "organization_id"));
  const { dollar, unlimitedDollars } = asked;
  return { dollar, unlimited: unitsOf(unlimitedDollars, dollar), budgets, accounts, models };
}

/** Names the account that the calls of a key are charged to. */
export function accountOf(values: Values, { accounts }: Pick<Known, "accounts">): string {
  const team = values.text("team_id");
  const user = values.text("user_id");
  const organization = values.text("organization_id");
  // The budget of a user counts there only for keys that are of no team.
  if (team !== "" && accounts.has(`team:${team}`)) return `team:${team}`;
  if (user !== "" && accounts.has(`user:${user}`)) return `user:${user}`;
  const isKnown = organization !== "" && accounts.has(`org:${organization}`);
  return isKnown ? `org:${organization}` : nobody;
}

/** Whether a table has keys that belong to nobody. */
export async function hasOwnerless(
  source: ForeignDatabase,
  table: string,
  known: Known,
): Promise<boolean> {
  let found = false;
  await eachRow(source, table, "token", (values) => {
    found ||= accountOf(values, known) === nobody;
  });
  return found;
}

const noIdentities = { githubId: "", oidcId: "", wechatId: "", telegramId: "", linuxDoId: "" };

/** What no account has there, or is counted anew here. */
const nothing = {
  ...noIdentities,
  displayName: "",
  passwordHash: "",
  role: 1 as const,
  isEnabled: true,
  email: "",
  group: "default",
  affCode: "",
  inviterId: "",
  earnings: 0,
  requestCount: 0,
  createdTime: 0,
  deletedAt: null,
  language: "",
};

export function nobodyOf({ unlimited }: Known): NeutralUser {
  const names = { id: nobody, username: "litellm", displayName: "LiteLLM" };
  return { ...nothing, ...names, balance: unlimited, usedQuota: 0, isUnlimited: true };
}

/** Reads what is left of an account's budget, and what was spent. */
function moneyOf(values: Values, budget: Values | undefined, { dollar, unlimited }: Known) {
  const most = values.amount("max_budget") ?? budget?.amount("max_budget") ?? null;
  const usedQuota = unitsOf(Math.max(0, values.amount("spend") ?? 0), dollar);
  if (most === null) return { balance: unlimited, usedQuota, isUnlimited: true };
  return { balance: unitsOf(most, dollar) - usedQuota, usedQuota, isUnlimited: false };
}

/** Columns that say when rows were written, and sums that are made of others. */
const plain = [
  "allowed_cache_controls",
  "budget_reset_at",
  "created_by",
  "model_spend",
  // Their keys have them.
  "models",
  "updated_at",
  "updated_by",
];

export function usersReader(known: Known): TableReader<NeutralUser> {
  return {
    table: tables.users,
    key: "user_id",
    needs: ["user_id"],
    plain: [...plain, "team_id", "teams"],
    read(values) {
      const id = idOf(values, "user_id");
      const email = values.text("user_email").trim();
      const alias = values.text("user_alias").trim();
      return {
        ...nothing,
        ...moneyOf(values, undefined, known),
        id: `user:${id}`,
        username: alias || email || id,
        displayName: alias,
        passwordHash: values.text("password"),
        role: values.text("user_role") === "proxy_admin" ? 10 : 1,
        email: /^[^@\s]+@[^@\s]+$/.test(email) ? email : "",
        createdTime: values.time("created_at"),
      };
    },
  };
}

export function teamsReader(known: Known): TableReader<NeutralUser> {
  return {
    table: tables.teams,
    key: "team_id",
    needs: ["team_id"],
    plain: [...plain, "admins", "members", "members_with_roles"],
    read(values) {
      const id = idOf(values, "team_id");
      const alias = values.text("team_alias").trim();
      return {
        ...nothing,
        ...moneyOf(values, undefined, known),
        id: `team:${id}`,
        username: alias || id,
        displayName: alias,
        isEnabled: values.whole("blocked") === 0,
        createdTime: values.time("created_at"),
      };
    },
  };
}

export function organizationsReader(known: Known): TableReader<NeutralUser> {
  return {
    table: tables.organizations,
    key: "organization_id",
    needs: ["organization_id"],
    plain,
    read(values) {
      const id = idOf(values, "organization_id");
      const alias = values.text("organization_alias").trim();
      return {
        ...nothing,
        ...moneyOf(values, known.budgets.get(values.text("budget_id")), known),
        id: `org:${id}`,
        username: alias || id,
        displayName: alias,
        createdTime: values.time("created_at"),
      };
    },
  };
}

/** The longest id that is kept, in characters. */
const idMax = 200;

function idOf(values: Values, column: string): string {
  const id = values.text(column);
  if (id === "" || id.length > idMax) throw new RowFault(column, "is no id");
  return id;
}
