import { parseForeign } from "#base/json.ts";
import type { UpstreamFault } from "#canonical/event.ts";
import { formats } from "#formats/registry.ts";
import { pauseOf } from "#formats/shared/errors/error-pause.ts";
import { isChannelFault, meaningOf } from "./fault-meaning.ts";

/** The message of an error answer that gives no message of its own. */
export function plainFault(status: number): string {
  return `bad response status code ${status}`;
}

/**
 * Reads an upstream's error answer in any of the forms that vendors use. If the body has no
 * readable error, as with HTML or an empty body, the status decides.
 */
export function readFault(status: number, body: string): UpstreamFault {
  const error = formats["openai-chat"].upstream.readErrorBody(parse(body));
  const { meaning } = meaningOf(status, error);
  const channelFault = isChannelFault(meaning);
  const passing = status < 400 || status === 408 || status === 429 || status >= 500;
  const isCalls = meaning === "context" || meaning === "refused";
  const retryAfterMs = pauseOf(body);
  return {
    code: error?.code || error?.type || `http-${status}`,
    message: error?.message || plainFault(status),
    retryable: !isCalls && (channelFault || passing),
    channelFault,
    meaning,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  };
}

function parse(body: string): unknown {
  try {
    return parseForeign(body);
  } catch {
    return undefined;
  }
}
