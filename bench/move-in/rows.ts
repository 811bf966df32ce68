/** The rows of a gateway at full size, made by its own database, and what they add up to. */

import type { Source } from "@tollgate/server/src/commands/import/testing/sources.ts";

const channelCount = 50;
/** How many rows of the log a statement makes; a day has one of each. */
const manyRows = 100_000;

/** The password of a user; the others have that of the last one. */
export function passwordOf(id: number): string {
  return `password of ${id}`;
}

/** The key of a number: the usual one, a short one, or one with dashes. */
export function keyOf(id: number): string {
  if (id % 3 === 0) return `sk-team-${id}-key`;
  return id % 3 === 1 ? `sk-s${id}` : `sk-${"k".repeat(40)}${String(id).padStart(8, "0")}`;
}

export function litellmKeyOf(id: number): string {
  return `sk-${"x".repeat(12)}-Key_${id}`;
}

type Filling = {
  readonly kind: string;
  readonly users: number;
  readonly logs: number;
  readonly passwords: number;
  /** The address of the upstream. */
  readonly upstream: string;
};

/** Fills a database of a program and age, row by row. @returns what all users have. */
async function fillAge(source: Source, filling: Filling): Promise<number> {
  const { users, passwords, upstream } = filling;
  source.run("begin");
  let password = "";
  for (let id = 1; id <= users; id += 1) {
    if (id <= passwords) {
      password = await Bun.password.hash(passwordOf(id), { algorithm: "bcrypt", cost: 4 });
    }
    const state = { role: 1, status: 1, used_quota: id, request_count: 1, aff_code: `a${id}` };
    source.insert("users", { id, username: `u${id}`, password, quota: 100_000 + id, ...state });
  }
  for (let id = 1; id <= 2 * users; id += 1) {
    const user_id = 1 + ((id - 1) % users);
    const key = keyOf(id).replace(/^sk-/, "");
    source.insert("tokens", {
      id,
      user_id,
      key,
      status: 1,
      name: `key ${id}`,
      remain_quota: 50_000,
    });
  }
  for (let id = 1; id <= channelCount; id += 1) {
    const models = id <= 5 ? "gpt-4o" : `model-${id}`;
    const of = { type: 1, status: 1, base_url: upstream, models, group: "default", priority: 0 };
    source.insert("channels", { id, key: `sk-upstream-${id}`, name: `channel ${id}`, ...of });
  }
  source.insert("options", { key: "ModelRatio", value: '{"gpt-4o":1}' });
  source.run("commit");
  await source.settle();
  return sumOf(users);
}

function sumOf(users: number): number {
  return users * 100_000 + (users * (users + 1)) / 2;
}

/** Fills a database of new-api, or of an age that has another name. @returns what all users have, in quota units. */
export async function fillNewApi(source: Source, filling: Filling): Promise<number> {
  const { kind, users, logs, passwords, upstream } = filling;
  if (!["mariadb", "postgres", "sqlite"].includes(kind)) return await fillAge(source, filling);
  /** A table of the numbers from `first` to `last` as `i`, in the words of the database. */
  const numbers = (first: number, last: number): string => {
    if (kind === "mariadb") return `(select seq as i from seq_${first}_to_${last}) as n`;
    if (kind === "postgres") return `generate_series(${first}, ${last}) as n(i)`;
    return `(with recursive c(i) as (select ${first} union all select i + 1 from c where i < ${last})
      select i from c) as n`;
  };
  const [quote, no, yes] = [
    kind === "mariadb" ? "`" : '"',
    kind === "postgres" ? "false" : "0",
    kind === "postgres" ? "true" : "1",
  ];
  const key = `${quote}key${quote}`;
  const group = `${quote}group${quote}`;
  source.run("begin");
  for (let id = 1; id <= passwords; id += 1) {
    const password = await Bun.password.hash(passwordOf(id), { algorithm: "bcrypt", cost: 4 });
    source.run(`insert into users (id, username, password, role, status, quota, used_quota, request_count, aff_code)
      values (${id}, 'u${id}', '${password}', 1, 1, ${100_000 + id}, ${id}, 1, 'a${id}')`);
  }
  const last = await Bun.password.hash(passwordOf(passwords), { algorithm: "bcrypt", cost: 4 });
  source.run(`insert into users (id, username, password, email, role, status, quota, used_quota, request_count, aff_code)
    select i, concat('u', i), '${last}', concat('u', i, '@example.com'), 1, 1, 100000 + i, i, 1, concat('a', i)
    from ${numbers(passwords + 1, users)}`);
  const filler = `concat(substr('${"k".repeat(40)}00000000', 1, 48 - length(concat(i, ''))), i)`;
  source.run(`insert into tokens (id, user_id, ${key}, status, name, remain_quota, unlimited_quota, model_limits_enabled)
    select i, 1 + (i - 1) % ${users},
      case i % 3 when 0 then concat('team-', i, '-key') when 1 then concat('s', i) else ${filler} end,
      1, concat('key ', i), 50000, ${no}, ${no} from ${numbers(1, 2 * users)}`);
  source.run(`insert into channels (id, type, ${key}, status, name, base_url, models, ${group}, priority)
    select i, 1, concat('sk-upstream-', i), 1, concat('channel ', i), '${upstream}',
      case when i <= 5 then 'gpt-4o' else concat('model-', i) end, 'default', 0
    from ${numbers(1, channelCount)}`);
  for (let first = 1; first <= logs; first += manyRows) {
    source.run(`insert into logs (id, user_id, created_at, type, content, username, token_name, model_name,
        quota, prompt_tokens, completion_tokens, use_time, is_stream, channel_id, token_id, ${group})
      select i, 1 + i % ${users}, 1760000000 + i, 2, 'a call', 'u', 'key', 'gpt-4o',
        i % 1000, i % 5000, i % 700, 3, ${yes}, 1 + i % ${channelCount}, 1 + i % ${2 * users}, 'default'
      from ${numbers(first, Math.min(logs, first + manyRows - 1))}`);
  }
  for (const [name, value] of [
    ["ModelRatio", '{"gpt-4o":1}'],
    ["CompletionRatio", '{"gpt-4o":4}'],
  ]) {
    source.run(`insert into options (${key}, value) values ('${name}', '${value}')`);
  }
  source.run("commit");
  await source.settle();
  return sumOf(users);
}

/** Fills a database of LiteLLM. @returns what all users have, in quota units. */
export async function fillFullLitellm(
  source: Source,
  users: number,
  upstream: string,
): Promise<number> {
  source.run(`insert into "LiteLLM_UserTable" (user_id, user_email, user_role, max_budget, spend)
    select 'u' || i, 'u' || i || '@example.com', 'internal_user', 1 + i, 0.5 from generate_series(1, ${users}) as n(i)`);
  source.run(`insert into "LiteLLM_VerificationToken" (token, key_alias, user_id, spend)
    select encode(sha256(('sk-${"x".repeat(12)}-Key_' || i)::bytea), 'hex'), 'key ' || i, 'u' || 1 + (i - 1) % ${users}, 0.25
    from generate_series(1, ${2 * users}) as n(i)`);
  const parameters = (at: number): string =>
    JSON.stringify({ model: "openai/gpt-4o", api_key: `sk-${at}`, api_base: `${upstream}/v1` });
  for (let at = 1; at <= channelCount; at += 1) {
    const name = at <= 5 ? "gpt-4o" : `model-${at}`;
    source.run(`insert into "LiteLLM_ProxyModelTable" (model_id, model_name, litellm_params, created_by, updated_by)
      values ('m${at}', '${name}', '${parameters(at)}', 'a', 'a')`);
  }
  await source.settle();
  return 500_000 * users * 0.5 + 500_000 * ((users * (users + 1)) / 2);
}
