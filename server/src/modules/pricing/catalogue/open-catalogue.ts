/** Opens the catalogue of prices: the one that is built in, or the file that replaces it. */

import { stat } from "node:fs/promises";
import type { Logger } from "#base/logger.ts";
import { type Catalogue, openCatalogue } from "./catalogue.ts";
import { type CatalogueFile, catalogueFile } from "./catalogue-file.ts";

/** The largest file that is read. */
const fileBytesMax = 32_000_000;

/** Reads the catalogue that is in force now. */
export type ReadCatalogue = () => Promise<Catalogue>;

/**
 * @param file the file that replaces the built-in catalogue as long as it is there. It is read again
 *   when it has changed; one that cannot be read is told of in the log, and changes nothing.
 */
export function catalogueReader(file: string, log: Pick<Logger, "error">): ReadCatalogue {
  let builtIn: Promise<Catalogue> | undefined;
  let replaced: { readonly state: string; readonly catalogue: Catalogue | undefined } | undefined;
  return async () => {
    const state = await stateOf(file);
    if (state !== "" && state !== replaced?.state) {
      // What was read last stays when the new text is wrong.
      replaced = { state, catalogue: (await readFile(file, log)) ?? replaced?.catalogue };
    }
    if (state === "") replaced = undefined;
    builtIn ??= openBuiltIn();
    return replaced?.catalogue ?? (await builtIn);
  };
}

/** Names the present state of a file; empty: there is none. */
async function stateOf(file: string): Promise<string> {
  try {
    const { mtimeMs, size } = await stat(file);
    return `${mtimeMs} ${size}`;
  } catch {
    return "";
  }
}

async function readFile(file: string, log: Pick<Logger, "error">): Promise<Catalogue | undefined> {
  try {
    const text = Bun.file(file);
    if (text.size > fileBytesMax) throw new Error("it is too large");
    return openCatalogue([catalogueFile.parse(await text.json())]);
  } catch (error) {
    const reason = error instanceof Error ? error.message.slice(0, 500) : "";
    log.error({ file, reason }, "the catalogue of prices cannot be read and was ignored");
    return undefined;
  }
}

/** The files are loaded when they are needed first, so that no thread keeps them before. */
async function openBuiltIn(): Promise<Catalogue> {
  const [own, bought] = await Promise.all([
    import("./own-prices.json"),
    import("./genai-prices.json"),
  ]);
  return openCatalogue([own.default, bought.default].map((file: unknown) => readBuiltIn(file)));
}

function readBuiltIn(file: unknown): CatalogueFile {
  return catalogueFile.parse(file);
}
