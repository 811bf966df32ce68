/** `tollgate doctor`: looks at everything that an installation needs, and says what to do. */

import { openSecrets } from "#base/secrets.ts";
import { withSecretFiles } from "#startup/secret-files.ts";
import { explainFailure } from "#startup/failed-start.ts";
import { type Config, readConfig } from "#config.ts";
import { type Environment, type Facts, gatherFacts } from "./facts.ts";
import type { Finding } from "./finding.ts";
import { judgeFacts } from "./judge.ts";

type DoctorDeps = {
  readonly env: Environment;
  readonly print: (line: string) => void;
};

/** Says of each thing whether it is in order. @returns the exit code: 1 when something fails. */
export async function runDoctor(asJson: boolean, { env, print }: DoctorDeps): Promise<number> {
  const findings = await examine(env);
  const fails = findings.some(({ state }) => state === "fail");
  if (asJson) print(JSON.stringify({ ok: !fails, findings }, null, 2));
  else for (const finding of findings) show(finding, print);
  return fails ? 1 : 0;
}

async function examine(env: Environment): Promise<Finding[]> {
  const config = configOf(env);
  if (typeof config === "string") {
    return [{ check: "settings", state: "fail", message: config, advice: "" }];
  }
  const facts: Facts = await gatherFacts(config, withSecretFiles(env));
  return judgeFacts(facts);
}

/** @returns what is wrong with the settings, if they cannot be used. */
function configOf(env: Environment): Config | string {
  try {
    const config = readConfig(env, false, "read");
    // A key that is a sample is refused where it is first used.
    openSecrets(config.secretKey);
    return config;
  } catch (error) {
    return explainFailure(error, null);
  }
}

const stateWidth = 5;
const checkWidth = 13;

function show({ check, state, message, advice }: Finding, print: DoctorDeps["print"]): void {
  print(`${state.padEnd(stateWidth)}${check.padEnd(checkWidth)}${message}`);
  if (advice !== "") print(`${" ".repeat(stateWidth + checkWidth)}→ ${advice}`);
}
