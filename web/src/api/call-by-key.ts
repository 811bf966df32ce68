/**
 * Calls of the console API that an API key authenticates in place of the session. The key is sent
 * in a header, so it is in no address, and no cookie goes with it. A refused key does not end the
 * session of a user who is signed in.
 */

import { type AnyEndpoint, encodeCall, type InputOf, readAnswer, send } from "./call.ts";

/** @throws CallError for every answer but a success, and when the network is down (status 0). */
export async function callByKey<Of extends AnyEndpoint>(
  endpoint: Of,
  input: Omit<InputOf<Of>, "key">,
  { key, signal }: { readonly key: string; readonly signal: AbortSignal },
): Promise<Awaited<ReturnType<typeof readAnswer<Of>>>> {
  const { url } = encodeCall({ method: "GET", path: endpoint.path }, input);
  const response = await send(url, {
    credentials: "omit",
    headers: {
      authorization: `Bearer ${key}`,
      "accept-language": document.documentElement.lang || "*",
    },
    signal,
  });
  return await readAnswer(endpoint, response);
}
