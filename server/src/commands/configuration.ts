/** `tollgate apply`, `diff` and `export`, from their arguments to their end. */

import { openErrorTexts } from "#http/error-texts.ts";
import { readConfigurationArguments } from "#modules/configuration/command/configuration-arguments.ts";
import { runConfiguration } from "#modules/configuration/command/configuration-command.ts";
import { ApiFault } from "#modules/configuration/command/over-api.ts";
import { helpOf } from "#startup/command-line.ts";
import { withSecretFiles } from "#startup/secret-files.ts";
import { type Config, readConfig } from "#config.ts";
import { openFolder, openRemote } from "./installed.ts";

type ConfigurationCommand = {
  readonly verb: "apply" | "diff" | "export";
  readonly rest: readonly string[];
};

/**
 * @param started is called with the configuration that the command works by, if it works on a data
 *   folder.
 * @returns the exit code.
 */
export async function runConfigurationCommand(
  { verb, rest }: ConfigurationCommand,
  started: (config: Config) => void,
  tell: (line: string) => void,
): Promise<number> {
  const asked = readConfigurationArguments(verb, rest);
  if (asked === undefined) {
    tell(`${verb} cannot be run like this.\n\n${helpOf(verb)}`);
    return 2;
  }
  const env = withSecretFiles(process.env);
  const words = openErrorTexts({ language: () => "en", showQuota: String });
  let close = async (): Promise<void> => {};
  const open = async () => {
    if (asked.url !== null) return openRemote(asked.url, env).installed;
    const config = readConfig(process.env, false, asked.verb === "apply" ? "run" : "read");
    started(config);
    const folder = await openFolder(config);
    ({ close } = folder);
    return folder.installed;
  };
  try {
    return await runConfiguration(asked, {
      env,
      open,
      words: (message) => words(message, null),
      print: (line) => process.stdout.write(`${line}\n`),
      tell,
    });
  } catch (error) {
    if (!(error instanceof ApiFault)) throw error;
    tell(error.message);
    return 1;
  } finally {
    await close();
  }
}
