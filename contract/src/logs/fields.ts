/**
 * The columns of a row of the usage log, one entry each: what it holds, who may see it, and how the
 * console shows it. The other half, `server/src/modules/logs/log-fields.ts`, says where each comes
 * from. A label in the console follows from the name: `logs.writeOff` for `write_off`.
 */

import { z } from "zod";

/** Who may read a field in the log; `nobody`: other endpoints have it, or none has. */
type SeenBy = "owner" | "admin" | "root" | "nobody";

/** What a column holds: the value of a row that has none, and what the console API makes of it. */
type Kind = { readonly blank: number | string | null; readonly schema: z.ZodType };

const text = { blank: "" as string, schema: z.string() };
const whole = { blank: 0 as number, schema: z.number().int() };
/** Stored as 1 or 0. */
const flag = { blank: 0 as number, schema: z.boolean() };
/** Null: it is not known. */
const unsure = { blank: null as number | null, schema: z.number().int().nullable() };
/** Stored as a JSON array; `""`: empty. */
const names = { blank: "" as string, schema: z.array(z.string()) };

export type ShownAs = "copy" | "quota" | "text";

type How = {
  /** The form in which the details of a row show it unless it is blank; absent: as they like. */
  readonly shown?: ShownAs;
  /**
   * Whether rows were hashed before there was this column: it is covered where it is not blank, so
   * that older rows keep their hashes. The record of a call has it under this name.
   */
  readonly added?: true;
};

function field<Of extends Kind, const Who extends SeenBy, const As extends How>(
  kind: Of,
  seenBy: Who,
  how: As,
) {
  return { ...kind, ...how, seenBy };
}

export const logFields = {
  id: field(whole, "owner", {}),
  /** The call's `X-Request-Id`, unique among type 2; `""`: the row is not about a call. */
  request_id: field(text, "owner", { shown: "copy" }),
  /** Unix seconds. */
  created_at: field(whole, "owner", {}),
  /** See `logType` of `logs.ts`. */
  type: field(whole, "owner", {}),
  user_id: field(whole, "owner", {}),
  username: field(text, "owner", {}),
  token_id: field(whole, "owner", {}),
  token_name: field(text, "owner", {}),
  /** Id of the channel; 0 in rows that users read about themselves. */
  channel: field(whole, "admin", {}),
  /** The model name that the client used. */
  model_name: field(text, "owner", {}),
  /** The group by whose prices the call was charged. */
  group: field(text, "owner", { shown: "text" }),
  /** Quota units that were charged. */
  quota: field(whole, "owner", {}),
  /** Quota units used beyond hold and balance. Nobody was charged for them. */
  write_off: field(whole, "admin", { shown: "quota" }),
  prompt_tokens: field(whole, "owner", {}),
  completion_tokens: field(whole, "owner", {}),
  /** Whole seconds from the first byte of the request to the last byte of the answer. */
  use_time: field(whole, "owner", {}),
  is_stream: field(flag, "owner", {}),
  /** Content of the row as a text for people. */
  content: field(text, "owner", {}),
  /** JSON text of `logOther`; `""` for rows that are not calls. */
  other: field(text, "owner", {}),
  /** Of calls, `other` has it as well. */
  client_ip: field(text, "nobody", {}),
  /** JSON text of the token counts of the charge, none of which overlap; `""`: none. */
  usage: field(text, "nobody", {}),
  /** Where the token counts come from, see `usageSource` of `logs.ts`; `""`: no usage. */
  usage_source: field(text, "owner", {}),
  /** The price version the charge was computed with; 0: none. */
  price_version: field(whole, "owner", {}),
  /** Fields that a conversion between formats could not carry. */
  losses: field(names, "owner", {}),
  /**
   * How many tokens of output passed to the client or were thrown away with it, as the gateway counts
   * or estimates them; 0: none, or a row of before this was stored. The row's hash covers it unless
   * it is 0.
   */
  seen_output: field(whole, "owner", {}),
  /** What the channel that answered charges for the call, in quota units. */
  cost: field(unsure, "nobody", {}),
  /** The version of the channel's cost list that `cost` was computed with; 0: it had none. */
  cost_version: field(whole, "nobody", {}),
  /** What the upstream has said that the call costs, in US dollars, as a decimal; `""`: nothing. */
  cost_reported: field(text, "nobody", {}),
  /**
   * Random hex digits that the hash of what root alone sees begins with, so that nobody finds it by
   * trying; `""`: the row is from before hashes covered that apart.
   */
  salt: field(text, "nobody", {}),
  /** The id that the upstream gave the last attempt, by which its vendor finds it; `""`: none. */
  upstream_request_id: field(text, "root", { shown: "copy", added: true }),
  /** The conversation that the call belongs to, by a hash that has its user in it; 0: none is known. */
  conversation_id: field(whole, "owner", { added: true }),
  /**
   * How the conversation was placed: a word, after `moved` why, and until when if that is known, in
   * Unix seconds; `""`: its place made no difference.
   */
  placement: field(text, "owner", { added: true }),
  /** The channels that the call could have gone to, see `candidates.ts`; `""`: there was no choice. */
  candidates: field(text, "root", { added: true }),
  /**
   * Quota units by which the call was dearer because its conversation was not where its prompt is
   * cached: an estimate from how much of the request came again; 0: none.
   */
  moved_quota: field(whole, "owner", { shown: "quota", added: true }),
  /** The tools that the answer before has called, whose results the call brings; each once. */
  tool_names: field(names, "owner", { added: true }),
  /** How the call has ended, see `endings.ts`; `""`: its answer is whole. No hash covers it. */
  ending: field(text, "owner", {}),
  /** Whether the charge was given back, because the answer was withheld. No hash covers it. */
  reversed: field(flag, "owner", {}),
  /** Quota units of the charge that were refunded. No hash covers it. */
  refunded: field(whole, "owner", { shown: "quota" }),
  /** Quota units that re-rates have added to the charge; below 0: taken off. No hash covers it. */
  rerated: field(whole, "owner", { shown: "quota" }),
};

type LogFieldName = keyof typeof logFields;

/** The value of a column as it is stored. */
export type StoredLog = {
  readonly [Name in LogFieldName]: (typeof logFields)[Name]["blank"];
};

type NamesWith<Part> = {
  [Name in LogFieldName]: (typeof logFields)[Name] extends Part ? Name : never;
}[LogFieldName];

/** The columns that were added after rows were hashed. */
export type AddedName = NamesWith<{ readonly added: true }>;

/** What the record of a call may have of these, each under the name of its column. */
export type AddedFacts = { [Name in AddedName]?: StoredLog[Name] };

// Safe casts: these are the names of the object.
const logFieldNames = Object.keys(logFields) as readonly LogFieldName[];
export const addedNames = logFieldNames.filter((name) => "added" in logFields[name]) as AddedName[];

/** A field that the details of a row show, and how. */
export const shownLogFields = logFieldNames.flatMap((name) => {
  const { shown }: Kind & How = logFields[name];
  // Safe cast: it is one of those whose entry says so.
  return shown === undefined ? [] : [{ name: name as ShownName, shown }];
});
export type ShownName = NamesWith<{ readonly shown: string }>;

type NamesSeenBy<Who extends SeenBy> = NamesWith<{ readonly seenBy: Who }>;
type Schemas<Who extends SeenBy> = {
  [Name in NamesSeenBy<Who>]: (typeof logFields)[Name]["schema"];
};

function namesSeenBy<Who extends SeenBy>(who: Who): readonly NamesSeenBy<Who>[] {
  // Safe cast: `NamesSeenBy` compares the same field.
  return logFieldNames.filter((name) => logFields[name].seenBy === who) as NamesSeenBy<Who>[];
}

/** Returns the schemas of the fields that these see, and nobody below them. */
export function schemasFor<Who extends SeenBy>(who: Who): Schemas<Who> {
  const schemas = namesSeenBy(who).map((name) => [name, logFields[name].schema]);
  // Safe cast: the names are those of the type.
  return Object.fromEntries(schemas) as Schemas<Who>;
}

/** Returns the values of a row that has none of the fields that these see. */
export function blanksFor<Who extends SeenBy>(who: Who): Pick<StoredLog, NamesSeenBy<Who>> {
  const blanks = namesSeenBy(who).map((name) => [name, logFields[name].blank]);
  // Safe cast: the names are those of the type.
  return Object.fromEntries(blanks) as Pick<StoredLog, NamesSeenBy<Who>>;
}
