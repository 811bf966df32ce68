/**
 * Configuration as code: a document that says what an installation has, and its comparison with
 * what is there. Names are keys. `tollgate apply` sends such a document, made of files.
 */

import { z } from "zod";
import { endpoint } from "./endpoint.ts";

/** The sections of a document, in the order in which they are applied. */
export const configurationSections = [
  "options",
  "notices",
  "sign_in",
  "payments",
  "groups",
  "models",
  "channels",
  "users",
] as const;
export type ConfigurationSection = (typeof configurationSections)[number];

/** What a change is about. An option is one also where another section names it. */
export const configuredKind = z.enum(["option", "group", "model", "channel", "user", "api_key"]);
export type ConfiguredKind = z.infer<typeof configuredKind>;

/**
 * A document. Its sections are judged as a whole, so that all that is wrong is named at once; see
 * `docs/operate/automation.md` for their form. Secrets are plain here.
 */
const configurationDocument = z.record(z.string(), z.unknown());
export type ConfigurationDocument = z.infer<typeof configurationDocument>;

const configurationChange = z.object({
  kind: configuredKind,
  name: z.string(),
  action: z.enum(["create", "change", "remove"]),
  /** Of a secret, a fingerprint. Null: there is no such value. */
  fields: z.array(
    z.object({ field: z.string(), before: z.string().nullable(), after: z.string().nullable() }),
  ),
});
export type ConfigurationChange = z.infer<typeof configurationChange>;

const configurationFault = z.object({
  /** Where in the document, from its section on; empty: not about one place. */
  path: z.array(z.string()).readonly(),
  message: z.string(),
});
export type ConfigurationFault = z.infer<typeof configurationFault>;

const configurationPlan = z.object({
  changes: z.array(configurationChange),
  /** While there is one, nothing is changed. */
  faults: z.array(configurationFault),
});
export type ConfigurationPlan = z.infer<typeof configurationPlan>;

const configurationInput = z.object({
  document: configurationDocument,
  /** Whether to remove what the sections of the document do not name. */
  prune: z.boolean().default(false),
});

/** Says what applying a document would change. */
export const planConfiguration = endpoint({
  method: "POST",
  path: "/api/configuration/plan",
  access: "root",
  input: configurationInput,
  output: configurationPlan,
});

/** The longest name of what a document came from, in characters. */
const sourceMax = 200;

/** Makes the installation what a document says: all of it, or nothing if there is a fault. */
export const applyConfiguration = endpoint({
  method: "POST",
  path: "/api/configuration/apply",
  access: "root",
  input: configurationInput.extend({
    /** The file or folder that the document was read from, for those who meet what it owns. */
    source: z.string().trim().max(sourceMax).default(""),
  }),
  output: configurationPlan,
});

/** Writes what is there as a document, with `{ env: <name> }` in place of each secret. */
export const exportConfiguration = endpoint({
  method: "GET",
  path: "/api/configuration/",
  access: "root",
  input: z.object({}),
  output: z.object({
    document: configurationDocument,
    /** What the document cannot say. */
    left_out: z.array(z.string()),
  }),
});

const ownedThing = z.object({
  kind: configuredKind,
  name: z.string(),
  /** The id by which the console changes it; 0: it is changed by its name. */
  id: z.number().int(),
  source: z.string(),
  /** Unix seconds. */
  applied_at: z.number().int(),
  /** What is not as the file says; `present` null: it is gone. */
  drift: z.array(
    z.object({ field: z.string(), wanted: z.string(), present: z.string().nullable() }),
  ),
});
export type OwnedThing = z.infer<typeof ownedThing>;

/** Lists what a file owns: what the last applied document named. Admins see channels alone. */
export const listOwned = endpoint({
  method: "GET",
  path: "/api/configuration/owned",
  access: "admin",
  input: z.object({}),
  output: z.array(ownedThing),
});
