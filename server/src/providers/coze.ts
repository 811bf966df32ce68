import { bearer } from "./openai-compatible.ts";
import type { Provider } from "./provider.ts";
import { readFault } from "./read-fault.ts";

export const coze: Provider = {
  id: "coze",
  label: "Coze",
  type: 49,
  baseUrl: "https://api.coze.cn",
  formats: { coze: { paths: { chat: "/v3/chat" }, asksForUsage: false } },
  modelsPath: null,
  authHeaders: bearer,
  readFault,
  baseUrlForm: "https://api.coze.com outside of China",
  keyForm: "Personal access token (pat_…)",
  otherForm: null,
  testable: true,
  // A model is the id of a bot.
  defaultModels: [],
  source: "https://www.coze.cn/open/docs/developer_guides/chat_v3 (read 2026-11-23)",
};
