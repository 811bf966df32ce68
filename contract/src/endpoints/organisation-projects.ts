/** The projects of an organisation, and the keys in them. */

import { z } from "zod";
import { id } from "@tollgate/contract/fields/fields.ts";
import { endpoint } from "./endpoint.ts";
import { createToken, tokenStatus } from "./tokens.ts";

const whole = z.number().int();

export const projectsMax = 200;
export const projectNameMax = 60;

const projectName = z
  .string("名称不能为空")
  .trim()
  .min(1, "名称不能为空")
  .max(projectNameMax, `名称不能超过 ${projectNameMax} 个字符`)
  .regex(/^[^\p{Cc}\p{Cs}]*$/u, "名称不能含有控制字符");

/** `suspended`: its keys are disabled until it goes on; `closed`: its keys are gone. */
export const projectState = z.enum(["open", "suspended", "closed"]);
export type ProjectState = z.infer<typeof projectState>;

const project = z.object({
  id: whole,
  name: z.string(),
  state: projectState,
  /** How many keys it has, and what those it has and had were charged. */
  key_count: whole,
  used_quota: whole,
  created_at: whole,
});
export type Project = z.infer<typeof project>;

/** Lists the projects of an organisation by name, closed ones last. */
export const listProjects = endpoint({
  method: "GET",
  path: "/api/organisation/:id/projects",
  access: "user",
  input: z.object({ id }),
  output: z.array(project),
});

export const createProject = endpoint({
  method: "POST",
  path: "/api/organisation/:id/projects",
  access: "user",
  input: z.object({ id, name: projectName }),
  output: z.object({ id: whole }),
});

/** Renames, suspends, opens or closes a project. A closed one stays closed. */
export const updateProject = endpoint({
  method: "PUT",
  path: "/api/organisation/:id/projects",
  access: "user",
  input: z.object({
    id,
    project: id,
    name: projectName.optional(),
    state: projectState.optional(),
  }),
  output: z.void(),
});

export const organisationKeysMax = 10_000;

const organisationKey = z.object({
  id: whole,
  name: z.string(),
  /** Masked. */
  key: z.string(),
  status: tokenStatus,
  project: whole,
  /** Whose it is; 0: a service key. */
  user_id: whole,
  username: z.string(),
  used_quota: whole,
  created_time: whole,
  /** −1: never. */
  expired_time: whole,
});
export type OrganisationKey = z.infer<typeof organisationKey>;

/** Lists the keys of an organisation, newest first; of callers without the right, their own. */
export const listOrganisationKeys = endpoint({
  method: "GET",
  path: "/api/organisation/:id/keys",
  access: "user",
  input: z.object({ id }),
  output: z.array(organisationKey),
});

/** Makes a key of the caller in a project, or the project's own. Its text is answered once. */
export const createOrganisationKey = endpoint({
  method: "POST",
  path: "/api/organisation/:id/keys",
  access: "user",
  input: createToken.input.extend({
    id,
    project: id,
    /** Whether it belongs to the project, and survives whoever made it. */
    service: z.boolean().default(false),
  }),
  output: z.object({ id: whole, key: z.string() }),
});

/** Disables a key, or enables it again while its project is open. */
export const switchOrganisationKey = endpoint({
  method: "PUT",
  path: "/api/organisation/:id/keys",
  access: "user",
  input: z.object({ id, token: id, enabled: z.boolean() }),
  output: z.void(),
});

/** Shows a key's text; the audit log says who saw it. */
export const revealOrganisationKey = endpoint({
  method: "POST",
  path: "/api/organisation/:id/keys/reveal",
  access: "user",
  input: z.object({ id, token: id }),
  output: z.object({ key: z.string() }),
});

export const removeOrganisationKey = endpoint({
  method: "POST",
  path: "/api/organisation/:id/keys/remove",
  access: "user",
  input: z.object({ id, token: id }),
  output: z.void(),
});
