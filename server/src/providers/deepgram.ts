import type { Provider } from "./provider.ts";
import { readFault } from "./read-fault.ts";
import type { Signer } from "./signing.ts";
import { readWritten, writeAgain } from "./written-body.ts";

/** Puts the settings, which the body names, into the query. */
const sign: Signer = ({ body, key, url }) => {
  const { query, ...rest } = readWritten(body);
  const settings = Object.entries(Object(query)).map(([name, value]) => [name, String(value)]);
  return {
    kind: "signed",
    url: `${url}?${new URLSearchParams(Object.fromEntries(settings)).toString()}`,
    headers: { authorization: `Token ${key}` },
    body: writeAgain(rest),
  };
};

export const deepgram: Provider = {
  id: "deepgram",
  label: "Deepgram",
  type: 1013,
  baseUrl: "https://api.deepgram.com",
  formats: {
    "deepgram-audio": {
      paths: { speech: "/v1/speak", transcriptions: "/v1/listen" },
      asksForUsage: false,
    },
  },
  modelsPath: null,
  authHeaders: () => ({}),
  sign,
  readFault,
  keyForm: "API key",
  otherForm: null,
  testable: false,
  defaultModels: ["nova-3", "nova-2", "aura-2-thalia-en", "aura-asteria-en"],
  source: "https://developers.deepgram.com/reference; shapes checked against recorded answers",
};
