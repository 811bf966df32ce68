/** Coding agents, each with the changes of its own files. */

import { baseUrlOf, type Block, type Client, type FileChange, textOf } from "./client.ts";

/** What the gateway is called in the files of agents that know several. */
const provider = "tollgate";

type Agent = Omit<Client, "blocks" | "kind">;

const claudeCode: Agent = {
  id: "claude-code",
  name: "Claude Code",
  wire: "messages",
  prefers: ["claude-sonnet", "claude-opus", "claude", "messages"],
  install: "npm install -g @anthropic-ai/claude-code",
  run: "claude",
  changes: ({ origin, key, model }) => [
    {
      path: ".claude/settings.json",
      json: {
        model,
        env: {
          ANTHROPIC_BASE_URL: baseUrlOf("messages", origin),
          ANTHROPIC_AUTH_TOKEN: key,
          // What it asks in passing, such as titles; its own choice may not be offered here.
          ANTHROPIC_DEFAULT_HAIKU_MODEL: model,
        },
      },
    },
  ],
};

const codex: Agent = {
  id: "codex",
  name: "Codex",
  wire: "responses",
  prefers: ["codex", "gpt-5", "gpt", "responses"],
  install: "npm install -g @openai/codex",
  run: "codex",
  changes: ({ origin, key, model }) => [
    {
      path: ".codex/config.toml",
      top: { model, model_provider: provider },
      table: `model_providers.${provider}`,
      values: {
        name: "Tollgate",
        base_url: baseUrlOf("responses", origin),
        wire_api: "responses",
        experimental_bearer_token: key,
      },
    },
  ],
};

const geminiCli: Agent = {
  id: "gemini-cli",
  name: "Gemini CLI",
  wire: "gemini",
  prefers: ["gemini-3", "gemini-2.5-pro", "gemini"],
  install: "npm install -g @google/gemini-cli",
  run: "gemini",
  changes: ({ origin, key, model }) => [
    {
      path: ".gemini/.env",
      lines: { GEMINI_API_KEY: key, GOOGLE_GEMINI_BASE_URL: baseUrlOf("gemini", origin) },
    },
    {
      path: ".gemini/settings.json",
      json: { security: { auth: { selectedType: "gemini-api-key" } }, model: { name: model } },
    },
  ],
};

const openCode: Agent = {
  id: "opencode",
  name: "OpenCode",
  wire: "chat",
  prefers: ["claude-sonnet", "gpt-5", "claude", "gpt", "chat"],
  install: "npm install -g opencode-ai",
  run: "opencode",
  changes: ({ origin, key, model }) => [
    {
      path: ".config/opencode/opencode.json",
      json: {
        $schema: "https://opencode.ai/config.json",
        model: `${provider}/${model}`,
        small_model: `${provider}/${model}`,
        provider: {
          [provider]: {
            npm: "@ai-sdk/openai-compatible",
            name: "Tollgate",
            options: { baseURL: baseUrlOf("chat", origin), apiKey: key },
            models: { [model]: { name: model, tool_call: true } },
          },
        },
      },
    },
  ],
};

const qwenCode: Agent = {
  id: "qwen-code",
  name: "Qwen Code",
  wire: "chat",
  prefers: ["qwen3-coder", "coder", "qwen", "chat"],
  install: "npm install -g @qwen-code/qwen-code",
  run: "qwen",
  changes: ({ origin, key, model }) => [
    {
      path: ".qwen/.env",
      lines: {
        OPENAI_API_KEY: key,
        OPENAI_BASE_URL: baseUrlOf("chat", origin),
        OPENAI_MODEL: model,
      },
    },
    {
      path: ".qwen/settings.json",
      json: { security: { auth: { selectedType: "openai" } }, model: { name: model } },
    },
  ],
};

export const agents: readonly Client[] = [claudeCode, codex, geminiCli, openCode, qwenCode].map(
  (agent) => ({
    ...agent,
    kind: "agent",
    blocks: (values) => agent.changes(values).map(blockOf),
  }),
);

/** Shows a change as the file that it makes where there was none. */
function blockOf(change: FileChange): Block {
  const { path } = change;
  if ("json" in change) {
    return { kind: "file", path, language: "json", text: JSON.stringify(change.json, null, 2) };
  }
  if ("lines" in change) {
    const lines = Object.entries(change.lines).map(([name, value]) => `${name}=${value}`);
    return { kind: "file", path, language: "bash", text: lines.join("\n") };
  }
  const { top, table, values } = change;
  const text = [...assignments(top), "", `[${table}]`, ...assignments(values)].join("\n");
  return { kind: "file", path, language: "toml", text };
}

function assignments(values: Readonly<Record<string, string>>): readonly string[] {
  return Object.entries(values).map(([name, value]) => `${name} = ${textOf(value)}`);
}
