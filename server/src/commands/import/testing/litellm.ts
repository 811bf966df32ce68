/**
 * A database of LiteLLM as its migrations make it, with accounts, keys and models that have
 * everything that an import must bring. The definitions are those of its baseline of March 2025 and
 * of the columns that came later; the rows are made up.
 */

import { hashText } from "#base/secrets.ts";
import { type Age, makePostgresSource, type Source } from "./sources.ts";

const budget = [
  "max_budget double precision",
  "max_parallel_requests integer",
  "tpm_limit bigint",
  "rpm_limit bigint",
  "budget_duration text",
  "budget_reset_at timestamp(3)",
] as const;
const times = [
  "created_at timestamp(3) default current_timestamp",
  "updated_at timestamp(3) default current_timestamp",
] as const;
const writers = ["created_by text not null", "updated_by text not null"] as const;
const spent = [
  "spend double precision not null default 0",
  "models text[]",
  "metadata jsonb not null default '{}'",
  "model_spend jsonb not null default '{}'",
  "model_max_budget jsonb not null default '{}'",
] as const;

const litellmTables: Age["tables"] = {
  '"LiteLLM_BudgetTable"': [
    "budget_id text primary key",
    "soft_budget double precision",
    ...budget,
    ...times,
    ...writers,
  ],
  '"LiteLLM_OrganizationTable"': [
    "organization_id text primary key",
    "organization_alias text",
    "budget_id text not null",
    ...spent,
    ...times,
    ...writers,
  ],
  '"LiteLLM_TeamTable"': [
    "team_id text primary key",
    "team_alias text",
    "organization_id text",
    "members text[]",
    "blocked boolean not null default false",
    ...budget,
    ...spent,
    ...times,
  ],
  '"LiteLLM_UserTable"': [
    "user_id text primary key",
    "user_alias text",
    "team_id text",
    "sso_user_id text",
    "password text",
    "teams text[]",
    "user_role text",
    "user_email text",
    ...budget,
    ...spent,
    ...times,
  ],
  '"LiteLLM_VerificationToken"': [
    "token text primary key",
    "key_name text",
    "key_alias text",
    "expires timestamp(3)",
    "user_id text",
    "team_id text",
    "organization_id text",
    "budget_id text",
    "blocked boolean",
    "last_active timestamp(3)",
    ...budget,
    ...spent,
    ...times,
  ],
  '"LiteLLM_ProxyModelTable"': [
    "model_id text primary key",
    "model_name text not null",
    "litellm_params jsonb not null",
    "model_info jsonb",
    "blocked boolean default false",
    ...times,
    ...writers,
  ],
  '"LiteLLM_SpendLogs"': [
    "request_id text primary key",
    "call_type text not null",
    '"startTime" timestamp(3) not null',
    '"endTime" timestamp(3) not null',
  ],
};

/** The key of a number; keys of LiteLLM may have dashes and underscores. */
export function litellmKey(id: number): string {
  return `sk-${"x".repeat(12)}-Key_${id}`;
}

export async function makeLitellmSource(): Promise<Source> {
  return await makePostgresSource({ tables: litellmTables });
}

/** Fills a source with accounts of each kind, keys of each of them, and models. */
export function fillLitellm(source: Source, users: number): void {
  const insert = (table: string, columns: string, values: string): void =>
    source.run(`insert into "LiteLLM_${table}" (${columns}) values ${values}`);
  insert(
    "BudgetTable",
    "budget_id, max_budget, rpm_limit, budget_duration, created_by, updated_by",
    "('b1', 100, null, null, 'a', 'a'), ('b2', 7.5, 30, '30d', 'a', 'a')",
  );
  insert(
    "OrganizationTable",
    "organization_id, organization_alias, budget_id, spend, created_by, updated_by",
    "('o1', 'Acme', 'b1', 25.5, 'a', 'a')",
  );
  insert(
    "TeamTable",
    "team_id, team_alias, max_budget, spend, models, blocked",
    "('t1', 'Research', 50, 10.1, array['gpt-4o', 'claude'], false), ('t2', 'Closed', 5, 0, null, true)",
  );
  for (let id = 1; id <= users; id += 1) {
    // 0.1 + 0.2: sums of floating-point amounts have no last digit.
    insert(
      "UserTable",
      "user_id, user_email, user_role, max_budget, spend",
      `('u${id}', 'User${id}@example.com', '${id === 1 ? "proxy_admin" : "internal_user"}', ${
        id === 2 ? "null" : id
      }, ${0.1 + 0.2})`,
    );
    key(source, id, `user_id, max_budget, spend`, `'u${id}', null, 0.25`);
  }
  key(source, users + 1, "team_id, user_id, models", "'t1', 'u1', array['gpt-4o', 'other']");
  key(source, users + 2, "organization_id, max_budget, spend", "'o1', 2, 0.5");
  key(source, users + 3, "user_id, budget_id", "'gone', 'b2'");
  key(source, users + 4, "user_id, expires, blocked", "'u3', '2031-02-03 04:05:06', true");
  key(source, users + 5, "user_id, max_budget, budget_duration, spend", "'u3', 3, '12h', 1");
  key(source, users + 6, "team_id", "'t2'");
  source.run("insert into \"LiteLLM_VerificationToken\" (token, user_id) values ('plain', 'u1')");
  const parameters = { model: "openai/gpt-4o-2024-08-06", api_key: "sk-one" };
  const costs = { input_cost_per_token: 2.5e-6, output_cost_per_token: 1e-5 };
  model(source, "m1", "gpt-4o", parameters, costs);
  model(source, "m2", "claude", { model: "anthropic/claude", api_key: "os.environ/GONE" }, {});
  model(source, "m3", "every", { model: "openai/*" }, {});
  const hidden = "A".repeat(80);
  model(source, "m5", "hidden", { model: hidden, api_key: hidden }, {});
  model(source, "m4", "odd", { model: "nlp_cloud/dolphin", api_key: "k" }, {});
  insert(
    "SpendLogs",
    '"request_id", call_type, "startTime", "endTime"',
    "('r', 'c', now(), now())",
  );
}

function key(source: Source, id: number, columns: string, values: string): void {
  source.run(
    `insert into "LiteLLM_VerificationToken" (token, key_alias, ${columns}) values
      ('${hashText(litellmKey(id))}', 'key ${id}', ${values})`,
  );
}

function model(source: Source, id: string, name: string, parameters: object, info: object): void {
  source.run(
    `insert into "LiteLLM_ProxyModelTable"
      (model_id, model_name, litellm_params, model_info, created_by, updated_by) values
      ('${id}', '${name}', '${JSON.stringify(parameters)}', '${JSON.stringify(info)}', 'a', 'a')`,
  );
}
