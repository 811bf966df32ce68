/** Opens what an import reads: a database, a configuration file, or both. */

import { existsSync, readFileSync, statSync } from "node:fs";
import { type ForeignDatabase, ForeignError, type ForeignRow, openForeign } from "#db/foreign.ts";
import { withRows } from "#db/foreign-rows.ts";
import type { ImportArguments } from "./import-arguments.ts";

/** @throws ForeignError if there is nothing that can be read. */
export async function openSource({
  address,
  configFile,
}: Pick<ImportArguments, "address" | "configFile">): Promise<ForeignDatabase> {
  if (/\.ya?ml$/i.test(address)) return withRows(null, address, readConfig(address));
  const rows = configFile === null ? undefined : readConfig(configFile);
  const database = await openForeign(address);
  return rows === undefined ? database : withRows(database, configFile ?? "", rows);
}

/** A larger file is no configuration. */
const bytesMax = 16 * 1_024 * 1_024;

/** Reads the models of a `config.yaml` as the rows of a table, and how much else there is. */
function readConfig(file: string): ReadonlyMap<string, readonly ForeignRow[]> {
  if (!existsSync(file)) throw new ForeignError(`There is no file ${file}.`);
  if (!statSync(file).isFile() || statSync(file).size > bytesMax) {
    throw new ForeignError(`${file} is no configuration file.`);
  }
  const found = parse(file);
  const { model_list: models, ...others } = Object(found);
  if (!Array.isArray(models)) throw new ForeignError(`${file} has no model_list.`);
  const tables = new Map<string, readonly ForeignRow[]>([["model_list", rowsOf(models)]]);
  for (const [name, value] of Object.entries(others)) {
    const rows = Object.entries(Object(value)).map(([setting]) => ({ setting }));
    if (rows.length > 0) tables.set(name, rows);
  }
  return tables;
}

function parse(file: string): unknown {
  try {
    return Bun.YAML.parse(readFileSync(file, "utf8"));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new ForeignError(`${file} cannot be read: ${reason}`);
  }
}

/** Models have no ids in the file, so each is known by its name and its place among the same. */
function rowsOf(models: readonly unknown[]): ForeignRow[] {
  const seen = new Map<string, number>();
  return models.map((model) => {
    const { model_name, litellm_params, model_info } = Object(model);
    const name = String(model_name ?? "");
    const place = (seen.get(name) ?? 0) + 1;
    seen.set(name, place);
    const model_id = `config:${name}:${String(place).padStart(3, "0")}`;
    return { model_id, model_name: name, litellm_params, model_info };
  });
}
