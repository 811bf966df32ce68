/**
 * `npm run agents` lets each coding agent write one file with its tools, through the gateway, with each format of
 * the demo upstream that is not the agent's own. Prints a table; exits with 1 if a turn failed.
 * `-- --agent codex` runs one agent, `-- --upstream ollama` one format. At last the key is revoked in the
 * middle of a turn over a WebSocket, which must end the turn with the reason. Each agent's conversation
 * must also keep its place where it has several channels.
 *
 * `-- --connect` asks each agent one question instead, after the script of the page “Connect” has
 * written its files, and runs the blocks of the SDKs of PyPI.
 */

import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { parseArgs } from "node:util";
import { startUpstreams } from "#test/upstreams/start.ts";
import { type ConsoleClient, signIn } from "#test/console.ts";
import { makeHome, startGateway } from "#test/gateway.ts";
import { type Agent, agents, type Place, socketCodex } from "./agents.ts";
import { connectedFolders, runConnected } from "./connected.ts";
import { installAgents, nodeFolder, programOf } from "./install.ts";

/** Channels to the demo upstream, by the format that it speaks there. */
const upstreams: Readonly<Record<string, { readonly type: number; readonly key: string }>> = {
  "openai-chat": { type: 1, key: "sk-demo" },
  "openai-responses": { type: 1, key: "sk-demo" },
  "anthropic-messages": { type: 14, key: "sk-demo" },
  "gemini-generate": { type: 24, key: "sk-demo" },
  "bedrock-converse": { type: 33, key: "demo|demo|us-east-1" },
  "bedrock-invoke": { type: 33, key: "demo|demo|us-east-1" },
  "cohere-v2": { type: 34, key: "sk-demo" },
  "cohere-v1": { type: 34, key: "sk-demo" },
  dashscope: { type: 17, key: "sk-demo" },
  ollama: { type: 4, key: "sk-demo" },
};

/** How long a turn may take before it counts as failed. */
const turnMsMax = 120_000;
const fileText = "scripted by the demo upstream";
const prompt = "Create the file hello.txt, please.";
/** Words of the demo upstream's answer, which the agent must have read to its end. */
const lastWords = "add a real channel yourself";
const outputShown = 600;
/** What an agent tells of the error that ends a call whose token was disabled while it streamed. */
const revokedText = "This API key is disabled; the output was stopped";
/** How long an answer streams at least before its token is disabled. */
const streamsAfterMs = 1_000;

const { values } = parseArgs({
  options: {
    agent: { type: "string", multiple: true },
    upstream: { type: "string", multiple: true },
    connect: { type: "boolean" },
  },
});

const chosen = agents.filter(({ folder }) => values.agent?.includes(folder) ?? true);
await installAgents(
  values.connect === true ? connectedFolders : chosen.map(({ folder }) => folder),
);
const demo = startUpstreams();
const home = await makeHome("sqlite");
const gateway = await startGateway(home, {
  env: { TOLLGATE_PRIVATE_UPSTREAMS: "127.0.0.0/8" },
});
let failed = 0;
try {
  const root = await signIn(gateway.origin);
  const { keys, plainKey, tokenId } = await makeChannels(root);
  if (values.connect === true) failed = await connectAll(keys.get("openai-chat") ?? "");
  else await takeTurns(root, { keys, plainKey, tokenId });
} finally {
  await gateway.stop("SIGINT");
  await home.remove();
  await demo.stop();
}
process.exitCode = failed === 0 ? 0 : 1;

/** Runs what the page “Connect” shows. @returns how much of it failed. */
async function connectAll(key: string): Promise<number> {
  const models = [...new Set(agents.flatMap((agent) => agent.models))];
  const { origin } = gateway;
  for (const agent of agents) await script(agent, {});
  const problems = await runConnected({ origin, key, models, said: lastWords });
  for (const [id, problem] of problems) {
    process.stdout.write(`${id}: ${problem || "passed"}\n`);
  }
  return [...problems.values()].filter((problem) => problem !== "").length;
}

/** Lets each agent write a file, with each upstream's format. */
async function takeTurns(
  root: ConsoleClient,
  { keys, plainKey, tokenId }: Awaited<ReturnType<typeof makeChannels>>,
): Promise<void> {
  const wires = Object.keys(upstreams).filter((wire) => values.upstream?.includes(wire) ?? true);
  const rows: string[] = [];
  for (const agent of chosen) {
    const cells: string[] = [];
    for (const wire of wires) {
      if (wire === agent.formatId) {
        cells.push("–");
        continue;
      }
      const problem = await takeTurn(agent, keys.get(wire) ?? "");
      if (problem !== "") {
        failed += 1;
        process.stderr.write(`${agent.name} on ${wire}: ${problem}\n`);
      }
      cells.push(problem === "" ? "passed" : "FAILED");
    }
    const moved = await keepPlace(root, agent, plainKey);
    if (moved !== "") failed += 1;
    process.stderr.write(`${agent.name}, at several channels: ${moved || "keeps its place"}\n`);
    rows.push(`| ${agent.name} (${agent.formatId}) | ${cells.join(" | ")} |`);
    process.stderr.write(`${agent.name}: ${cells.join(", ")}\n`);
  }
  if (chosen.includes(socketCodex)) {
    const problem = await revokeInTurn(root, keys.get("anthropic-messages") ?? "", tokenId);
    if (problem !== "") failed += 1;
    process.stderr.write(`${socketCodex.name}, revoked in mid-turn: ${problem || "passed"}\n`);
  }
  const head = `| agent ↓ upstream → | ${wires.join(" | ")} |`;
  const line = `| --- |${" --- |".repeat(wires.length)}`;
  process.stdout.write(`\n${[head, line, ...rows].join("\n")}\n`);
}

/** Makes a channel for each format. Returns keys that choose them, by format, and their token. */
async function makeChannels(root: ConsoleClient): Promise<{
  readonly keys: ReadonlyMap<string, string>;
  /** The key that chooses no channel. */
  readonly plainKey: string;
  readonly tokenId: number;
}> {
  const models = [...new Set(agents.flatMap((agent) => agent.models))];
  const options = await root.call<{ key: string; value: string }[]>("GET", "/api/option/");
  for (const [name, ratio] of [
    ["ModelRatio", 1],
    ["CacheRatio", 0.1],
  ] as const) {
    const text = options.find(({ key }) => key === name)?.value ?? "{}";
    // Safe cast: the option is a map of numbers.
    const prices = JSON.parse(text) as Record<string, number>;
    for (const model of models) prices[model] ??= ratio;
    await root.call("PUT", "/api/option/", { key: name, value: JSON.stringify(prices) });
  }
  const token = { name: "agents", remain_quota: 0, expired_time: -1, unlimited_quota: true };
  const { id } = await root.call<{ id: number }>("POST", "/api/token/", token);
  const { key } = await root.call<{ key: string }>("POST", `/api/token/${id}/key`);
  for (const [wire, { type, key: upstreamKey }] of Object.entries(upstreams)) {
    await root.call("POST", "/api/channel/", {
      name: wire,
      type,
      key: upstreamKey,
      base_url: demo.url,
      models: models.join(","),
      group: "default",
      status: 1,
      setting: JSON.stringify({ wire }),
    });
  }
  const channels = await root.call<{ id: number; name: string }[]>(
    "GET",
    "/api/channel/?p=0&page_size=100",
  );
  const plain = key.replace(/^sk-/, "");
  const keys = new Map(channels.map((channel) => [channel.name, `sk-${plain}-${channel.id}`]));
  return { keys, plainKey: `sk-${plain}`, tokenId: id };
}

type Row = {
  readonly id: number;
  readonly channel: number;
  readonly conversation_id: number;
  readonly placement: string;
};

/** Says what is wrong with where the calls of a turn went; empty: its conversation kept its place. */
async function keepPlace(root: ConsoleClient, agent: Agent, key: string): Promise<string> {
  const read = async () =>
    (await root.call<{ items: Row[] }>("GET", "/api/log/?type=2&page_size=100")).items;
  const before = (await read())[0]?.id ?? 0;
  const problem = await takeTurn(agent, key);
  if (problem !== "") return problem;
  const rows = (await read()).filter(({ id, conversation_id: of }) => id > before && of !== 0);
  const turns = Map.groupBy(rows, ({ conversation_id: of }) => of);
  const longest = [...turns.values()].toSorted((a, b) => b.length - a.length)[0] ?? [];
  if (longest.length < 2) return `has no conversation of two calls: ${JSON.stringify(rows)}`;
  // What only one can read goes there, which is where the conversation is.
  const words = ["first", "issuer", "stayed"];
  const isKept = longest.every(({ placement }) => words.includes(placement));
  // The first turn of a conversation that only its beginning identifies is drawn.
  const placed = longest.length === 2 ? longest : longest.toSorted((a, b) => a.id - b.id).slice(1);
  const places = new Set(placed.map(({ channel }) => channel));
  const told = longest.map(({ channel, placement }) => `${channel} ${placement}`);
  return isKept && places.size === 1 ? "" : `has moved: ${told.join(", ")}`;
}

/** Runs an agent once. Returns what is wrong; empty: it wrote the file and read the answer. */
async function takeTurn(agent: Agent, key: string): Promise<string> {
  const { folder, place } = makePlace(agent, key);
  const file = join(place.work, "hello.txt");
  try {
    await script(agent, { callOneOf: agent.writes(file, fileText) });
    const { code, output } = await run(agent, place);
    const written = existsSync(file) ? readFileSync(file, "utf8").trim() : "";
    const said = agent.avoids?.find((each) => output.includes(each));
    if (said !== undefined) return `says “${said}”: ${output.slice(-outputShown)}`;
    if (code === 0 && written === fileText && output.includes(lastWords)) return "";
    const wrote = written === fileText ? "wrote the file" : "did not write the file";
    return `ended with ${code}, ${wrote}: ${output.slice(-outputShown)}`;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Makes the folders and files of one turn, below a folder that the caller removes. */
function makePlace(agent: Agent, key: string): { readonly folder: string; readonly place: Place } {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-agent-"));
  const place = {
    home: join(folder, "home"),
    work: join(folder, "work"),
    origin: gateway.origin,
    key,
  };
  for (const each of [place.home, place.work]) mkdirSync(each);
  for (const [path, text] of Object.entries(agent.files(place))) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
  return { folder, place };
}

/** Disables the token while an answer streams. Returns what is wrong; empty: the turn has ended for that. */
async function revokeInTurn(root: ConsoleClient, key: string, tokenId: number): Promise<string> {
  const { folder, place } = makePlace(socketCodex, key);
  try {
    await script(socketCodex, { eventDelayMs: 200, events: 1_000 });
    const turn = run(socketCodex, place);
    await callRuns();
    await root.call("PUT", "/api/token/?status_only=true", { id: tokenId, status: 2 });
    const { code, output } = await turn;
    if (code === 1 && output.includes(revokedText)) return "";
    return `ended with ${code}: ${output.slice(-outputShown)}`;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Waits until a call has come to the demo upstream, and a little until its answer streams. */
async function callRuns(): Promise<void> {
  const until = Date.now() + turnMsMax;
  const isOpen = async (): Promise<boolean> => {
    const answer = await fetch(`${demo.url}/__demo/open`);
    // Safe cast: the demo upstream's own answer.
    return ((await answer.json()) as { readonly calls: number }).calls > 0;
  };
  while (Date.now() < until && !(await isOpen())) await Bun.sleep(50);
  await Bun.sleep(streamsAfterMs);
}

/** Tells the demo upstream how to answer the agent. */
async function script(agent: Agent, given: object): Promise<void> {
  const body = JSON.stringify(given);
  for (const model of agent.models) {
    const answer = await fetch(`${demo.url}/__demo/scripts/${model}`, { method: "PUT", body });
    if (!answer.ok) throw new Error(`the script was refused: ${await answer.text()}`);
  }
}

async function run(agent: Agent, place: Place): Promise<{ code: number; output: string }> {
  const path = [nodeFolder, process.env["PATH"] ?? ""].join(delimiter);
  const program = programOf(agent.folder, agent.program);
  const child = Bun.spawn([program, ...agent.args(prompt)], {
    cwd: place.work,
    env: { PATH: path, HOME: place.home, TERM: "dumb", ...agent.env(place) },
    stdin: "ignore",
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
