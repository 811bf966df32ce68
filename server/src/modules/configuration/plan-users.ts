/** Plans the first users of a document: whoever is not there is created, with API keys. */

import type {
  ConfigurationChange,
  ConfigurationFault,
} from "@tollgate/contract/endpoints/configuration.ts";
import { createUser } from "@tollgate/contract/endpoints/user-admin.ts";
import { role } from "@tollgate/contract/endpoints/users.ts";
import type { Installation } from "#modules/installation/installation.ts";
import {
  asFields,
  type By,
  compareFields,
  type ConfiguredKeys,
  type ConfiguredUsers,
  type Entries,
  type Entry,
  faultsOf,
  noFields,
  type Planned,
  type PlannedCall,
  schemaFaults,
  unknownFields,
  type Wanted,
} from "./configuration.ts";

type UserDeps = {
  readonly installation: Pick<Installation, "isSetUp" | "planRoot">;
  readonly users: ConfiguredUsers;
  readonly keys: ConfiguredKeys;
};

type Around = {
  /** The groups that there will be. */
  readonly groups: ReadonlySet<string>;
  /** The quota units that a user gets whose entry names none. */
  readonly quota: number;
};

const fieldNames = ["api_keys", "display_name", "group", "password", "quota", "role"];

/** The roles of a document. */
const roles: Readonly<Record<string, 1 | 10 | 100>> = {
  admin: role.enum.admin,
  root: role.enum.root,
  user: role.enum.user,
};

/** Plans users and, of those who are there, API keys. */
export async function planUsers(
  deps: UserDeps,
  entries: Entries,
  around: Around,
  by: By,
): Promise<Planned> {
  const changes: ConfigurationChange[] = [];
  const faults: ConfigurationFault[] = [];
  const calls: PlannedCall[] = [];
  const wanted: Wanted[] = [];
  let hasRoot = await deps.installation.isSetUp();
  for (const [name, entry] of entries) {
    const read = readUser(name, entry, around);
    faults.push(...read.faults);
    if (read.user === undefined) continue;
    const { user } = read;
    wanted.push({ kind: "user", name, fields: {} });
    const present = await deps.users.find(name);
    const keys = await planKeys(deps.keys, { name, id: present?.id ?? 0 }, entry, by);
    faults.push(...keys.faults);
    wanted.push(...keys.wanted);
    if (present === undefined && user.roleName === "root" && hasRoot) {
      faults.push({ path: [...entry.path, "role"], message: "系统已经初始化完成" });
    } else if (present === undefined) {
      hasRoot ||= user.roleName === "root";
      const shown = { role: user.roleName, group: user.group, quota: String(user.quota) };
      const fields = user.roleName === "root" ? { role: "root" } : shown;
      const change = compareFields({ kind: "user", name, fields }, undefined);
      if (change !== undefined) changes.push(change);
      const found = await faultsOf(entry.path, async () => {
        calls.push(...(await planUser(deps, name, user, by)));
      });
      faults.push(...found.map(atPassword));
    }
    changes.push(...keys.changes);
    calls.push(...keys.calls);
  }
  return { changes, faults, calls, wanted };
}

/** What is refused of a whole account is its password, as names were judged before. */
function atPassword({ path, message }: ConfigurationFault): ConfigurationFault {
  return { path: path.length > 2 ? path : [...path, "password"], message };
}

type User = {
  readonly roleName: string;
  readonly password: string;
  readonly displayName: string;
  readonly group: string;
  readonly quota: number;
};

async function planUser(
  { installation, users }: UserDeps,
  username: string,
  user: User,
  by: By,
): Promise<PlannedCall[]> {
  const { password, displayName, group, quota } = user;
  const asked = roles[user.roleName] ?? role.enum.user;
  if (asked === role.enum.root) {
    return await installation.planRoot({ username, password }, by.actor);
  }
  return await users.plan({ username, displayName, password, role: asked, group, quota }, by);
}

type ReadUser = { readonly user?: User; readonly faults: readonly ConfigurationFault[] };

function readUser(name: string, entry: Entry, { groups, quota }: Around): ReadUser {
  const { path, value } = entry;
  const fields = asFields(value);
  if (fields === undefined) return { faults: [{ path, message: noFields }] };
  const faults = unknownFields(entry, fieldNames);
  const { password, display_name, role: asked = "user", group = "default" } = fields;
  if (typeof asked !== "string" || !Object.hasOwn(roles, asked)) {
    faults.push({ path: [...path, "role"], message: "角色应为 root、admin 或 user" });
  }
  if (typeof group !== "string" || !groups.has(group)) {
    faults.push({ path: [...path, "group"], message: `分组不存在：${String(group)}` });
  }
  const given = fields["quota"] ?? quota;
  if (typeof given !== "number" || !Number.isSafeInteger(given) || given < 0) {
    faults.push({ path: [...path, "quota"], message: "额度必须是不小于 0 的整数" });
  }
  if (typeof password !== "string" || password === "") {
    faults.push({ path: [...path, "password"], message: "用户名和密码不能为空！" });
  }
  const parsed = createUser.input.safeParse({ username: name, display_name, password });
  if (!parsed.success) {
    const found = schemaFaults(path, parsed.error);
    faults.push(...found.map((fault) => atName(fault)));
  }
  if (faults.length > 0) return { faults };
  const user = {
    roleName: String(asked),
    password: String(password),
    displayName: typeof display_name === "string" ? display_name : "",
    group: String(group),
    quota: Number(given),
  };
  return { user, faults };
}

/** A user's name is the key of its entry. */
function atName({ path, message }: ConfigurationFault): ConfigurationFault {
  return { path: path.filter((part, at) => !(at === 2 && part === "username")), message };
}

type Owner = { readonly name: string; /** 0: not created yet. */ readonly id: number };

async function planKeys(
  configured: ConfiguredKeys,
  owner: Owner,
  entry: Entry,
  by: By,
): Promise<Planned> {
  const changes: ConfigurationChange[] = [];
  const faults: ConfigurationFault[] = [];
  const calls: PlannedCall[] = [];
  const wanted: Wanted[] = [];
  const all = asFields(entry.value)?.["api_keys"] ?? {};
  const path = [...entry.path, "api_keys"];
  const given = asFields(all);
  if (given === undefined) faults.push({ path, message: noFields });
  for (const [name, value] of Object.entries(given ?? {})) {
    const own = { value, path: [...path, name] };
    const fields = asFields(value);
    const key = fields?.["key"];
    const quota = fields?.["quota"] ?? null;
    faults.push(...unknownFields(own, ["key", "quota"]));
    if (typeof key !== "string" || (quota !== null && !isQuota(quota))) {
      const message = typeof key === "string" ? "额度必须是不小于 0 的整数" : noFields;
      faults.push({ path: [...own.path, typeof key === "string" ? "quota" : "key"], message });
      continue;
    }
    const shown = `${owner.name}/${name}`;
    const want = { kind: "api_key", name: shown, fields: { key: configured.show(key) } } as const;
    wanted.push(want);
    // A key that is there belongs to its user, who may have replaced it.
    if (owner.id > 0 && (await configured.find(owner.id, name)) !== undefined) continue;
    faults.push(...(await faultsOf(own.path, async () => await configured.judge(key))));
    const change = compareFields(want, undefined);
    if (change !== undefined) changes.push(change);
    if (owner.id > 0) {
      calls.push(...(await configured.plan(owner.id, { name, key, quota }, by)));
    }
  }
  return { changes, faults, calls, wanted };
}

function isQuota(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
}
