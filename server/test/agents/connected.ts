/**
 * Runs what the page “Connect” shows, as it shows it: each agent after its script has written the
 * files, with nothing else to tell it where the gateway is, and the SDKs of PyPI by their blocks.
 */

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { clients, modelFor } from "@tollgate/contract/connect/clients.ts";
import { scriptName, scriptOf } from "@tollgate/contract/connect/script.ts";
import { installPython, nodeFolder, programOf, pythonProgram } from "./install.ts";

/** How each agent is asked one question. */
type Question = {
  readonly folder: string;
  readonly program: string;
  readonly args: (prompt: string) => readonly string[];
  /** What keeps it from calling home; nothing that has to do with the gateway. */
  readonly env: Readonly<Record<string, string>>;
};

const questions: Readonly<Record<string, Question>> = {
  "claude-code": {
    folder: "claude",
    program: "claude",
    args: (prompt) => ["-p", prompt, "--output-format", "json"],
    env: { CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1", DISABLE_AUTOUPDATER: "1" },
  },
  codex: {
    folder: "codex",
    program: "codex",
    args: (prompt) => ["exec", "--skip-git-repo-check", "--json", prompt],
    env: {},
  },
  "gemini-cli": {
    folder: "gemini",
    program: "gemini",
    args: (prompt) => ["-p", prompt, "--output-format", "json"],
    env: { GEMINI_CLI_TRUST_WORKSPACE: "true" },
  },
  opencode: {
    folder: "opencode",
    program: "opencode",
    args: (prompt) => ["run", "--format", "json", prompt],
    env: { OPENCODE_DISABLE_AUTOUPDATE: "1", OPENCODE_DISABLE_MODELS_FETCH: "1" },
  },
  "qwen-code": {
    folder: "qwen",
    program: "qwen",
    args: (prompt) => ["-p", prompt, "--output-format", "json"],
    env: {},
  },
};

/** The folders of the agents that have a script, for those who install them. */
export const connectedFolders = Object.values(questions).map(({ folder }) => folder);

const pythons = ["openai-python", "anthropic-python", "google-python"];
const turnMsMax = 120_000;
const outputShown = 800;

type Gateway = {
  readonly origin: string;
  readonly key: string;
  readonly models: readonly string[];
  /** Words of every answer. */
  readonly said: string;
};

/** Runs all of them. @returns what is wrong with each, by its name; empty: nothing. */
export async function runConnected(gateway: Gateway): Promise<ReadonlyMap<string, string>> {
  const problems = new Map<string, string>();
  for (const id of Object.keys(questions)) problems.set(id, await askAgent(id, gateway));
  await installPython();
  for (const id of pythons) problems.set(id, await runPython(id, gateway));
  return problems;
}

async function askAgent(id: string, { origin, key, models, said }: Gateway): Promise<string> {
  const client = clients.find((one) => one.id === id);
  const question = questions[id];
  if (client === undefined || question === undefined) return "is not on the page";
  const home = mkdtempSync(join(tmpdir(), "tollgate-connect-"));
  try {
    const work = join(home, "work");
    mkdirSync(work);
    const script = join(home, scriptName(client));
    const model = modelFor(client.prefers, models) ?? "";
    writeFileSync(script, scriptOf(client, { origin, model }));
    const written = await run([join(nodeFolder, "node"), script], { home, work: home, typed: key });
    if (written.code !== 0) return `its script ended with ${written.code}: ${written.output}`;
    const program = programOf(question.folder, question.program);
    const command = [program, ...question.args("Say hello.")];
    const { code, output } = await run(command, { home, work, env: question.env });
    if (code === 0 && output.includes(said)) return "";
    return `ended with ${code}: ${output.slice(-outputShown)}`;
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

async function runPython(id: string, { origin, key, models, said }: Gateway): Promise<string> {
  const client = clients.find((one) => one.id === id);
  const model = modelFor(client?.prefers ?? [], models) ?? "";
  const block = client?.blocks({ origin, key, model })[0];
  if (block?.kind !== "code") return "is not on the page";
  const home = mkdtempSync(join(tmpdir(), "tollgate-connect-"));
  try {
    const file = join(home, "block.py");
    writeFileSync(file, block.text);
    const { code, output } = await run([pythonProgram, file], { home, work: home });
    if (code === 0 && output.includes(said)) return "";
    return `ended with ${code}: ${output.slice(-outputShown)}`;
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

type Place = {
  readonly home: string;
  readonly work: string;
  readonly typed?: string;
  readonly env?: Readonly<Record<string, string>>;
};

async function run(
  command: readonly string[],
  { home, work, typed = "", env = {} }: Place,
): Promise<{ readonly code: number; readonly output: string }> {
  const path = [nodeFolder, process.env["PATH"] ?? ""].join(delimiter);
  const child = Bun.spawn([...command], {
    cwd: work,
    env: { PATH: path, HOME: home, USERPROFILE: home, TERM: "dumb", ...env },
    stdin: typed === "" ? "ignore" : new Blob([`${typed}\n`]),
    stdout: "pipe",
    stderr: "pipe",
    timeout: turnMsMax,
    killSignal: "SIGKILL",
  });
  const [said, complained, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  return { code, output: `${complained}${said}` };
}
