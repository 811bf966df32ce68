import { bearer } from "./openai-compatible.ts";
import type { Provider } from "./provider.ts";
import { readFault } from "./read-fault.ts";

const chat = "/v1/chat-messages";

/** The paths of apps that are no chats, by the channel's `other`. They know nothing but inputs. */
const paths: ReadonlyMap<string, string> = new Map([
  ["completion", "/v1/completion-messages"],
  ["workflow", "/v1/workflows/run"],
]);

export const dify: Provider = {
  id: "dify",
  label: "Dify",
  type: 37,
  baseUrl: "https://api.dify.ai",
  formats: {
    dify: {
      paths: { chat },
      asksForUsage: false,
      quirksOf: ({ other }) => ({ asksByInput: paths.has(other.trim()) }),
    },
  },
  modelsPath: null,
  adjustUrl: (url, { channel }) => url.replace(chat, paths.get(channel.other.trim()) ?? chat),
  authHeaders: bearer,
  readFault,
  keyForm: "API key of the app (app-…)",
  otherForm: "Kind of app: empty for a chat or an agent, else completion or workflow",
  testable: true,
  defaultModels: ["dify"],
  source: "https://docs.dify.ai/api-reference (read 2026-11-23)",
};
