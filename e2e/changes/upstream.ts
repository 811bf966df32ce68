/** An upstream that lists many models to the key it knows, and refuses every other key. */

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

type ListingUpstream = {
  readonly origin: string;
  readonly stop: () => void;
};

/** The key that the upstream accepts. */
export const knownKey = "sk-known";

const refusal = {
  error: {
    message: "Incorrect API key provided: sk-wrong. You can find your API key at your account.",
    type: "invalid_request_error",
    code: "invalid_api_key",
  },
};

/** The names that the upstream lists: some of each vendor, numbered beyond nine. */
const listedModels: readonly string[] = [
  "claude-sonnet",
  "gemini-pro",
  "gpt-5",
  "mistral-large",
  "qwen-max",
].flatMap((name) => Array.from({ length: 40 }, (_, index) => `${name}-${index + 1}`));

export async function openListingUpstream(): Promise<ListingUpstream> {
  const server = createServer((request, response) => {
    response.setHeader("content-type", "application/json");
    if (request.headers.authorization !== `Bearer ${knownKey}`) {
      response.writeHead(401).end(JSON.stringify(refusal));
      return;
    }
    const data = listedModels.map((id) => ({ id, object: "model" }));
    response.end(JSON.stringify({ object: "list", data }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  // Safe cast: a server that listens on a port has an address of this form.
  const { port } = server.address() as AddressInfo;
  return { origin: `http://127.0.0.1:${port}`, stop: () => void server.close() };
}
