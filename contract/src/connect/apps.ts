/** Programs with windows: what their fields are called, and what goes into them. */

import { baseUrlOf, type Block, type Client, type ConnectValues, textOf } from "./client.ts";

type App = Pick<Client, "blocks" | "id" | "name">;

const key = (label: string, value: string) => ({ label, value, secret: true as const });

const listed: readonly App[] = [
  {
    id: "cline",
    name: "Cline",
    blocks: (values) => [
      fields([
        { label: "API Provider", value: "OpenAI Compatible" },
        { label: "Base URL", value: baseUrlOf("chat", values.origin) },
        key("OpenAI Compatible API Key", values.key),
        { label: "Model ID", value: values.model },
      ]),
    ],
  },
  {
    id: "cursor",
    name: "Cursor",
    blocks: (values) => [
      fields([
        key("OpenAI API Key", values.key),
        { label: "Override OpenAI Base URL", value: baseUrlOf("chat", values.origin) },
        { label: "Add Custom Model", value: values.model },
      ]),
    ],
  },
  {
    id: "cherry-studio",
    name: "Cherry Studio",
    blocks: (values) => [
      fields([
        { label: "Provider Type", value: "OpenAI" },
        key("API Key", values.key),
        // It adds `/v1/chat/completions` itself.
        { label: "API Host", value: values.origin },
        { label: "Model ID", value: values.model },
      ]),
    ],
  },
  {
    id: "open-webui",
    name: "Open WebUI",
    blocks: (values) => [
      fields([
        { label: "URL", value: baseUrlOf("chat", values.origin) },
        key("API Key", values.key),
        { label: "Model IDs", value: values.model },
      ]),
    ],
  },
  { id: "librechat", name: "LibreChat", blocks: libreChat },
  {
    id: "dify",
    name: "Dify",
    blocks: (values) => [
      fields([
        { label: "Model Type", value: "LLM" },
        { label: "Model Name", value: values.model },
        key("API Key", values.key),
        { label: "API endpoint URL", value: baseUrlOf("chat", values.origin) },
        { label: "Completion mode", value: "Chat" },
      ]),
    ],
  },
  {
    id: "n8n",
    name: "n8n",
    blocks: (values) => [
      fields([
        key("API Key", values.key),
        { label: "Base URL", value: baseUrlOf("chat", values.origin) },
        { label: "Model (by ID)", value: values.model },
      ]),
    ],
  },
  {
    id: "other",
    name: "",
    blocks: (values) => [
      fields([
        { label: "OpenAI base URL", value: baseUrlOf("chat", values.origin) },
        { label: "Anthropic base URL", value: baseUrlOf("messages", values.origin) },
        { label: "Gemini base URL", value: baseUrlOf("gemini", values.origin) },
        key("API key", values.key),
        { label: "Model", value: values.model },
      ]),
    ],
  },
];

export const apps: readonly Client[] = listed.map((app) => ({
  ...app,
  kind: "app",
  wire: "chat",
  prefers: ["gpt-5", "gpt", "claude", "chat"],
  install: "",
  run: "",
  changes: () => [],
}));

function fields(list: Extract<Block, { kind: "fields" }>["fields"]): Block {
  return { kind: "fields", fields: list };
}

function libreChat({ origin, key: text, model }: ConnectValues): readonly Block[] {
  const yaml = [
    "version: 1.2.1",
    "endpoints:",
    "  custom:",
    "    - name: Tollgate",
    '      apiKey: "${TOLLGATE_KEY}"',
    `      baseURL: ${textOf(baseUrlOf("chat", origin))}`,
    "      models:",
    `        default: [${textOf(model)}]`,
    "        fetch: true",
    "      titleConvo: true",
    `      titleModel: ${textOf(model)}`,
  ];
  return [
    { kind: "file", path: "librechat.yaml", language: "yaml", text: yaml.join("\n") },
    { kind: "file", path: ".env", language: "bash", text: `TOLLGATE_KEY=${text}` },
  ];
}
