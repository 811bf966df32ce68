/** Takes a document apart: which section names which thing. */

import {
  type ConfigurationDocument,
  type ConfigurationFault,
  configurationSections,
} from "@tollgate/contract/endpoints/configuration.ts";
import {
  isOptionName,
  isPriceOption,
  type OptionName,
  options,
} from "@tollgate/contract/options/options.ts";
import { contentOptions } from "@tollgate/contract/options/options-system.ts";
import { paymentProcessors } from "@tollgate/contract/kinds/payment-processors.ts";
import { signInMethods } from "@tollgate/contract/kinds/sign-in-methods.ts";
import { asFields, type Entries, type Entry, noFields } from "./configuration.ts";

/** The sections of a document. Null: it has none of that name. */
export type Sections = {
  readonly options: Entries | null;
  readonly groups: Entries | null;
  readonly models: Entries | null;
  readonly channels: Entries | null;
  readonly users: Entries | null;
  /** The options that belong to the sections which the document has. */
  readonly covered: readonly OptionName[];
  readonly faults: readonly ConfigurationFault[];
};

/** The option with the descriptions of groups, which the section of groups sets. */
export const usableGroups = "UserUsableGroups";

type SectionOfOptions = "notices" | "options" | "payments" | "sign_in";

/** The kinds of the sections that have options by kind. */
const kinds: Readonly<Record<string, Readonly<Record<string, { readonly fields: object }>>>> = {
  payments: paymentProcessors,
  sign_in: signInMethods,
};

/** The section in which an option is written; undefined: it is not written by its name. */
export function sectionOf(
  name: OptionName,
): { readonly section: SectionOfOptions; readonly kind: string } | undefined {
  if (isPriceOption(name) || name === usableGroups) return undefined;
  for (const [section, of] of Object.entries(kinds)) {
    for (const [kind, { fields }] of Object.entries(of)) {
      // Safe cast: the keys of `kinds`.
      if (Object.hasOwn(fields, name)) return { section: section as SectionOfOptions, kind };
    }
  }
  const isNotice = Object.hasOwn(contentOptions, name);
  return { section: isNotice ? "notices" : "options", kind: "" };
}

/** Takes a document apart, and names what is in no section. */
export function readSections(document: ConfigurationDocument): Sections {
  const faults: ConfigurationFault[] = [];
  for (const name of Object.keys(document)) {
    if (configurationSections.some((section) => section === name)) continue;
    const message = `未知的字段：${name}；可用的字段：${configurationSections.join(", ")}`;
    faults.push({ path: [name], message });
  }
  const entriesOf = (section: string): Entries | null => {
    const value = document[section];
    if (value === undefined || value === null) return null;
    return entriesIn(value, [section], faults);
  };
  const byName = ["options", "notices"] as const;
  const named = byName.map((section) => ownOptions(section, entriesOf(section), faults));
  const byKind = Object.keys(kinds).map((section) =>
    kindOptions(section, entriesOf(section), faults),
  );
  const given = [...named, ...byKind].filter((entries) => entries !== null);
  const present = [...byName, ...Object.keys(kinds)].filter(
    (_, at) => [...named, ...byKind].at(at) !== null,
  );
  const covered = Object.keys(options)
    .filter(isOptionName)
    .filter((name) => present.includes(sectionOf(name)?.section ?? ""));
  return {
    options: given.length === 0 ? null : new Map(given.flatMap((entries) => [...entries])),
    groups: entriesOf("groups"),
    models: entriesOf("models"),
    channels: entriesOf("channels"),
    users: entriesOf("users"),
    covered,
    faults,
  };
}

function entriesIn(value: unknown, path: readonly string[], faults: ConfigurationFault[]): Entries {
  const fields = asFields(value);
  if (fields === undefined) {
    faults.push({ path, message: noFields });
    return new Map();
  }
  return new Map(
    Object.entries(fields).map(([name, of]): [string, Entry] => [
      name,
      { value: of, path: [...path, name] },
    ]),
  );
}

/** Refuses options that belong elsewhere, so that each has one place. */
function ownOptions(
  section: SectionOfOptions,
  entries: Entries | null,
  faults: ConfigurationFault[],
): Entries | null {
  if (entries === null) return null;
  const own = [...entries].filter(([name, { path }]) => {
    if (!isOptionName(name)) {
      faults.push({ path, message: `未知的选项：${name}` });
      return false;
    }
    const place = sectionOf(name);
    if (place?.section === section) return true;
    const elsewhere =
      place === undefined ? "groups / models" : [place.section, place.kind].join(" ").trim();
    faults.push({ path, message: `${name} 应写在 ${elsewhere} 中` });
    return false;
  });
  return new Map(own);
}

function kindOptions(
  section: string,
  entries: Entries | null,
  faults: ConfigurationFault[],
): Entries | null {
  if (entries === null) return null;
  const found = new Map<string, Entry>();
  for (const [kind, { value, path }] of entries) {
    const known = kinds[section] ?? {};
    const fields = Object.hasOwn(known, kind) ? known[kind]?.fields : undefined;
    if (fields === undefined) {
      const message = `未知的字段：${kind}；可用的字段：${Object.keys(known).join(", ")}`;
      faults.push({ path, message });
      continue;
    }
    for (const [name, entry] of entriesIn(value, path, faults)) {
      if (Object.hasOwn(fields, name)) found.set(name, entry);
      else {
        const message = `未知的字段：${name}；可用的字段：${Object.keys(fields).join(", ")}`;
        faults.push({ path: entry.path, message });
      }
    }
  }
  return found;
}
