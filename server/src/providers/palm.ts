import type { Provider } from "./provider.ts";
import { readFault } from "./read-fault.ts";

/** Google has switched the API off; servers that imitate it remain. */
export const palm: Provider = {
  id: "palm",
  label: "Google PaLM2",
  type: 11,
  baseUrl: "https://generativelanguage.googleapis.com",
  formats: {
    palm: { paths: { chat: "/v1beta2/models/{model}:generateMessage" }, asksForUsage: false },
  },
  modelsPath: null,
  authHeaders: (key) => ({ "x-goog-api-key": key }),
  readFault,
  keyForm: "API key",
  otherForm: null,
  testable: true,
  defaultModels: ["chat-bison-001"],
  source: "base URL and paths as one-api compatible gateways ship them",
};
