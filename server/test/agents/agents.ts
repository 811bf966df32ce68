/** How each coding agent is started, and how it writes a file. */

import { join } from "node:path";
import type { TranslatedClientId } from "#test/recordings/played.ts";

/** Where an agent runs: folders of its own, the gateway, and a key for it. */
export type Place = {
  readonly home: string;
  readonly work: string;
  readonly origin: string;
  readonly key: string;
};

type Call = { readonly name: string; readonly arguments: Readonly<Record<string, string>> };

export type Agent = {
  readonly name: string;
  /** The folder of its package, and its program in there. */
  readonly folder: string;
  readonly program: string;
  /** The format that it speaks. */
  readonly formatId: TranslatedClientId;
  /** The models that it asks for; the first is the one that works, others write titles. */
  readonly models: readonly string[];
  /** What it must not say; absent: nothing. */
  readonly avoids?: readonly string[];
  /** The calls that write the file, by the tools that its versions offer. */
  writes(file: string, text: string): readonly Call[];
  /** Files that configure it, by their paths. */
  files(place: Place): Readonly<Record<string, string>>;
  env(place: Place): Readonly<Record<string, string>>;
  args(prompt: string): readonly string[];
};

const noFiles = (): Readonly<Record<string, string>> => ({});

const claude: Agent = {
  name: "claude-code",
  folder: "claude",
  program: "claude",
  formatId: "anthropic-messages",
  models: ["claude-sonnet-4-5", "claude-haiku-4-5", "claude-haiku-4-5-20251001"],
  writes: (file, content) => [{ name: "Write", arguments: { file_path: file, content } }],
  files: noFiles,
  env: ({ origin, key }) => ({
    ANTHROPIC_BASE_URL: origin,
    ANTHROPIC_AUTH_TOKEN: key,
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    DISABLE_AUTOUPDATER: "1",
  }),
  args: (prompt) => [
    "-p",
    prompt,
    "--model",
    "claude-sonnet-4-5",
    "--allowedTools",
    "Write",
    "--output-format",
    "json",
  ],
};

/**
 * Codex, over HTTP or over a WebSocket, which it opens where the provider says that it has them. It
 * tells newer models their tools in an item of the input, which has the one that runs programs of
 * theirs.
 */
function codex(name: string, hasWebSockets: boolean, model = "gpt-5.1-codex"): Agent {
  return {
    name,
    folder: "codex",
    program: "codex",
    formatId: "openai-responses",
    models: [model],
    // What it says when a WebSocket fails.
    avoids: ["Reconnecting", "Falling back"],
    writes(file, text) {
      const command = `printf '%s' '${text}' > '${file}'`;
      return [
        { name: "exec_command", arguments: { cmd: command } },
        { name: "shell_command", arguments: { command } },
        {
          name: "functions__exec",
          arguments: {
            input: `text(await tools.exec_command({ cmd: ${JSON.stringify(command)} }));`,
          },
        },
      ];
    },
    files: ({ home, origin }) => ({
      [join(home, ".codex/config.toml")]: `model = "${model}"
model_provider = "gateway"
check_for_update_on_startup = false

[model_providers.gateway]
name = "gateway"
base_url = "${origin}/v1"
env_key = "GATEWAY_KEY"
wire_api = "responses"
supports_websockets = ${hasWebSockets}
request_max_retries = 0
stream_max_retries = 0

[analytics]
enabled = false
`,
    }),
    env: ({ home, key }) => ({ CODEX_HOME: join(home, ".codex"), GATEWAY_KEY: key }),
    args: (prompt) => [
      "exec",
      "--skip-git-repo-check",
      "--dangerously-bypass-approvals-and-sandbox",
      "--json",
      prompt,
    ],
  };
}

/** Codex over a WebSocket. */
export const socketCodex = codex("codex-websocket", true);

const gemini: Agent = {
  name: "gemini-cli",
  folder: "gemini",
  program: "gemini",
  formatId: "gemini-generate",
  models: ["gemini-2.5-pro", "gemini-2.5-flash", "gemini-2.5-flash-lite"],
  writes: (file, content) => [{ name: "write_file", arguments: { file_path: file, content } }],
  files: ({ home }) => ({
    [join(home, ".gemini/settings.json")]: JSON.stringify({
      security: { auth: { selectedType: "gemini-api-key" } },
      privacy: { usageStatisticsEnabled: false },
      general: { disableAutoUpdate: true },
    }),
  }),
  env: ({ origin, key }) => ({
    GEMINI_API_KEY: key,
    GOOGLE_GEMINI_BASE_URL: origin,
    GEMINI_CLI_TRUST_WORKSPACE: "true",
  }),
  args: (prompt) => [
    "-p",
    prompt,
    "-m",
    "gemini-2.5-pro",
    "--approval-mode",
    "yolo",
    "--output-format",
    "json",
  ],
};

const qwen: Agent = {
  name: "qwen-code",
  folder: "qwen",
  program: "qwen",
  formatId: "openai-chat",
  models: ["qwen3-coder-plus"],
  writes: gemini.writes,
  files: noFiles,
  env: ({ origin, key }) => ({
    OPENAI_API_KEY: key,
    OPENAI_BASE_URL: `${origin}/v1`,
    OPENAI_MODEL: "qwen3-coder-plus",
  }),
  args: (prompt) => [
    "-p",
    prompt,
    "--auth-type",
    "openai",
    "--approval-mode",
    "yolo",
    "--output-format",
    "json",
  ],
};

/** OpenCode speaks every format; it is tried in that of chat completions. */
const opencode: Agent = {
  name: "opencode",
  folder: "opencode",
  program: "opencode",
  formatId: "openai-chat",
  models: ["gpt-4o"],
  writes: (filePath, content) => [{ name: "write", arguments: { filePath, content } }],
  files: ({ work, origin, key }) => ({
    [join(work, "opencode.json")]: JSON.stringify({
      autoupdate: false,
      share: "disabled",
      small_model: "gateway/gpt-4o",
      permission: { bash: "allow", edit: "allow" },
      provider: {
        gateway: {
          npm: "@ai-sdk/openai-compatible",
          name: "gateway",
          options: { baseURL: `${origin}/v1`, apiKey: key },
          models: {
            "gpt-4o": { name: "m", tool_call: true, limit: { context: 128_000, output: 4_096 } },
          },
        },
      },
    }),
  }),
  env: () => ({ OPENCODE_DISABLE_AUTOUPDATE: "1", OPENCODE_DISABLE_MODELS_FETCH: "1" }),
  args: (prompt) => ["run", "-m", "gateway/gpt-4o", "--format", "json", prompt],
};

export const agents: readonly Agent[] = [
  claude,
  codex("codex", false),
  socketCodex,
  codex("codex-websocket-items", true, "gpt-6.2-sol"),
  gemini,
  opencode,
  qwen,
];
