/**
 * Organisations: several users who share a balance. An organisation has projects, a project has
 * keys, and a key belongs to a person or, as a service key, to the project alone. What the keys spend
 * comes from the organisation's balance. Times are Unix seconds, quota is whole quota units.
 */

import { z } from "zod";
import { id, keywordMax, queryText, queryWhole } from "@tollgate/contract/fields/fields.ts";
import { endpoint } from "./endpoint.ts";
import { organisationRole } from "./organisation-rights.ts";
import { page, pageInput } from "./page.ts";

const whole = z.number().int();

export const organisationNameMax = 60;
const handleRule = "标识应为 2 至 11 个小写字母、数字或连字符";

const name = z
  .string("名称不能为空")
  .trim()
  .min(1, "名称不能为空")
  .max(organisationNameMax, `名称不能超过 ${organisationNameMax} 个字符`)
  .regex(/^[^\p{Cc}\p{Cs}]*$/u, "名称不能含有控制字符");

/** Whether an organisation can be used: `suspended`: root has stopped it. */
const organisationState = z.enum(["open", "suspended"]);

const organisation = z.object({
  /** Also the id of its account, under which its calls and entries are. */
  id: whole,
  name: z.string(),
  /** The name of its account, with `@` in front, which no user's has. */
  handle: z.string(),
  state: organisationState,
  group: z.string(),
  /** What it may still spend, and what it owes. */
  quota: whole,
  debt: whole,
  used_quota: whole,
  request_count: whole,
  /** How many users belong to it. */
  people: whole,
  created_at: whole,
});
export type Organisation = z.infer<typeof organisation>;

/** The caller's role there; `root`: the caller is root and does not belong to it. */
const ownRole = z.union([organisationRole, z.literal("root")]);

const ownOrganisation = organisation.extend({ role: ownRole });

/** Lists the organisations that the caller belongs to, by name. */
export const listOwnOrganisations = endpoint({
  method: "GET",
  path: "/api/organisation/",
  access: "user",
  input: z.object({}),
  output: z.array(ownOrganisation),
});

/** Lists all organisations, newest first. */
export const listOrganisations = endpoint({
  method: "GET",
  path: "/api/organisation/all",
  access: "root",
  input: z.object({ ...pageInput, keyword: queryText }),
  output: page(organisation),
});

export const readOrganisation = endpoint({
  method: "GET",
  path: "/api/organisation/:id",
  access: "user",
  input: z.object({ id }),
  output: ownOrganisation,
});

/** Makes an organisation with one project. */
export const createOrganisation = endpoint({
  method: "POST",
  path: "/api/organisation/",
  access: "root",
  input: z.object({
    name,
    handle: z.string(handleRule).regex(/^[a-z0-9](?:[a-z0-9-]{0,9}[a-z0-9])$/, handleRule),
    /** The name of the user who will own it. */
    owner: z.string("请输入所有者的用户名").trim().min(1, "请输入所有者的用户名").max(keywordMax),
    group: z.string().default("default"),
    /** The name of the first project. */
    project: name.default("main"),
  }),
  output: organisation,
});

export const renameOrganisation = endpoint({
  method: "PUT",
  path: "/api/organisation/:id",
  access: "user",
  input: z.object({ id, name }),
  output: z.void(),
});

/** Changes the group of an organisation, or suspends it and lets it go on. Its calls end soon. */
export const updateOrganisation = endpoint({
  method: "PUT",
  path: "/api/organisation/all/:id",
  access: "root",
  input: z.object({ id, group: z.string().optional(), state: organisationState.optional() }),
  output: z.void(),
});

const reasonMax = 200;
const reason = z.string().trim().max(reasonMax, `原因不能超过 ${reasonMax} 个字符`).default("");

/** Adds to the balance of an organisation, or takes from it. */
export const adjustOrganisation = endpoint({
  method: "POST",
  path: "/api/organisation/:id/adjust",
  access: "root",
  stepUp: () => true,
  input: z.object({ id, amount: whole, reason }),
  output: z.void(),
});

const amount = whole.positive("额度必须是正整数");

/**
 * Moves quota from the caller's balance to the organisation's (`in`), or from there to the caller's
 * (`out`).
 */
export const transferQuota = endpoint({
  method: "POST",
  path: "/api/organisation/:id/transfer",
  access: "user",
  stepUp: () => true,
  input: z.object({ id, direction: z.enum(["in", "out"]), amount }),
  output: z.void(),
});

/** Closes an organisation for ever: it must have no balance, no debt and no running call. */
export const closeOrganisation = endpoint({
  method: "POST",
  path: "/api/organisation/:id/close",
  access: "user",
  stepUp: () => true,
  input: z.object({
    id,
    /** Its handle, typed to confirm. */
    handle: z.string(),
  }),
  output: z.void(),
});

const sums = { quota: whole, request_count: whole };

/** The longest time that sums are read over, in days. */
export const organisationDaysMax = 92;

/** Sums what the organisation's calls were charged. */
export const readOrganisationUse = endpoint({
  method: "GET",
  path: "/api/organisation/:id/use",
  access: "user",
  input: z.object({ id, start_timestamp: queryWhole, end_timestamp: queryWhole }),
  output: z.object({
    start: whole,
    end: whole,
    ...sums,
    /** The largest first. */
    projects: z.array(z.object({ id: whole, name: z.string(), ...sums })),
    /** By whose key was used; `user_id` 0: service keys. */
    people: z.array(z.object({ user_id: whole, username: z.string(), ...sums })),
    models: z.array(z.object({ model_name: z.string(), ...sums })),
    /** Days in UTC, the first first. */
    days: z.array(z.object({ start: whole, ...sums })),
  }),
});
export type OrganisationUse = z.infer<(typeof readOrganisationUse)["output"]>;
