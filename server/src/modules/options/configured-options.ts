/** Options as a document of configuration names them. */

import { showField } from "@tollgate/contract/kinds/kinds.ts";
import {
  isOptionName,
  isPriceOption,
  isSensitiveOption,
  type OptionName,
  options as definitions,
  parseOption,
  showOption,
  type StoredOptionName,
} from "@tollgate/contract/options/options.ts";
import type { ConfigurationFault } from "@tollgate/contract/endpoints/configuration.ts";
import type { Secrets } from "#base/secrets.ts";
import { gatherWrites, type RemoteStore } from "#db/store.ts";
import {
  type By,
  compareFields,
  type ConfiguredOptions,
  type Entries,
  type Entry,
  faultsOf,
  type Planned,
  type PlannedCall,
  showSecret,
  type Wanted,
} from "#modules/configuration/configuration.ts";
import { checkOpening } from "./opening-rules.ts";
import { checkClear, checkOption } from "./option-rules.ts";
import { openOptions, type Options, type OptionTrial, storedText } from "./options.ts";
import type { optionStore } from "./options.store.ts";

type OptionDeps = {
  readonly store: RemoteStore<typeof optionStore>;
  readonly secrets: Secrets;
  /** @throws Refusal if a value would do harm immediately. */
  readonly probe: (trial: OptionTrial) => Promise<void>;
};

/** The field that an option has as a thing of a document. */
const field = "value";

const storedNames = Object.keys(definitions).filter(
  (name): name is StoredOptionName => isOptionName(name) && !isPriceOption(name),
);

/** Opens the part of configuration as code that is about options. */
export function openConfiguredOptions({ store, secrets, probe }: OptionDeps): ConfiguredOptions {
  const load = async (): Promise<Options> => {
    const options = openOptions(secrets, () => {});
    options.refresh(await store.loadOptions());
    return options;
  };
  const shown = (name: StoredOptionName, text: string): string =>
    definitions[name].secret && text !== "" ? showSecret(secrets.lookup("options", text)) : text;

  return {
    isSensitive: isSensitiveOption,

    /** Returns every option; `isSet`: whether it has another value than a new installation has. */
    async read() {
      const { read } = await load();
      return new Map(
        storedNames.map((name) => {
          const text = showOption(name, read(name));
          const isSet = text !== showField(definitions[name], definitions[name].defaultValue);
          return [name, { id: 0, isSet, text, fields: { [field]: shown(name, text) } }];
        }),
      );
    },

    /** @param reset options that go back to what a new installation has. */
    async plan(entries: Entries, reset: readonly string[], by: By): Promise<Planned> {
      const { read } = await load();
      const faults: ConfigurationFault[] = [];
      const values = new Map<OptionName, { readonly entry: Entry; readonly value: unknown }>();
      for (const [name, entry] of [...entries, ...resetEntries(reset)]) {
        const parsed = parseEntry(name, entry.value);
        if (parsed.ok) values.set(parsed.name, { entry, value: parsed.value });
        else faults.push({ path: entry.path, message: parsed.message });
      }
      // Options are judged beside the values that the others will have.
      const without = (left: OptionName | null): Options["read"] =>
        ((name: StoredOptionName) =>
          name !== left && values.has(name)
            ? values.get(name)?.value
            : read(name)) as Options["read"];
      const wanted: Wanted[] = [];
      const changed: PlannedCall[] = [];
      const gathering = gatherWrites("options", store, ["saveOption"], changed);
      const changes = [];
      for (const [name, { entry, value }] of values) {
        if (isPriceOption(name)) continue;
        const definition = definitions[name];
        const text = showField(definition, value);
        const want = { kind: "option", name, fields: { [field]: shown(name, text) } } as const;
        if (entries.has(name)) wanted.push(want);
        const change = compareFields(want, { [field]: shown(name, showOption(name, read(name))) });
        if (change === undefined) continue;
        const found = await faultsOf(entry.path, async () => {
          if (definition.secret && text === "") checkClear(without(null), name);
          checkOption(without(null), name, value);
          await checkOpening(openingRead(read, without(name)), name, value, by.hasSecondFactor);
          await probe({ key: name, value, turnstileToken: "" });
        });
        faults.push(...found);
        changes.push(change);
        const { actor, nowMs } = by;
        const stored = storedText(definition, name, text, secrets);
        await gathering.saveOption({ key: name, value: stored, actor, nowMs });
      }
      return { changes, faults, calls: changed, wanted };
    },
  };
}

/** Whether openings are asked about is what it is before the document. */
function openingRead(before: Options["read"], after: Options["read"]): Options["read"] {
  return ((name: StoredOptionName) =>
    name === "RootSecondFactorRequired" ? before(name) : after(name)) as Options["read"];
}

function resetEntries(reset: readonly string[]): [string, Entry][] {
  return reset.filter(isOptionName).map((name) => {
    const value = showField(definitions[name], definitions[name].defaultValue);
    return [name, { value, path: [] }];
  });
}

type ParsedEntry =
  | { readonly ok: true; readonly name: StoredOptionName; readonly value: unknown }
  | { readonly ok: false; readonly message: string };

function parseEntry(name: string, value: unknown): ParsedEntry {
  if (!isOptionName(name)) return { ok: false, message: `未知的选项：${name}` };
  if (isPriceOption(name)) {
    return { ok: false, message: `${name}：价格和倍率写在 models 和 groups 中` };
  }
  const text = optionText(name, value);
  if (text === undefined) return { ok: false, message: `无效的参数：${name}` };
  const parsed = parseOption(name, text);
  return parsed.ok ? { ok: true, name, value: parsed.value } : parsed;
}

/** Writes a value of a document as the text that the console API takes. */
function optionText(name: OptionName, value: unknown): string | undefined {
  if (typeof value === "string") return value;
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  if (value === null || value === undefined) return undefined;
  const { type } = definitions[name];
  if (type === "lines" || type === "list") {
    if (!Array.isArray(value) || value.some((one) => typeof one === "object")) return undefined;
    return value.map(String).join(type === "lines" ? "\n" : ",");
  }
  const isJson = ["decimalMap", "json", "pairList", "textMap"].includes(type);
  return isJson ? JSON.stringify(value) : undefined;
}
