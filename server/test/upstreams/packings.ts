/** How streams divide their events where they are no server-sent events. */

import type { Framing } from "@tollgate/demo/answers/api.ts";
import { streamType } from "@tollgate/demo/answers/response.ts";
import { amazonFrame } from "#base/frames/testing/amazon-frame.ts";
import { textFrame } from "./live/web-socket.ts";

/** The binary event streams of AWS, in which a failure is an exception. */
export const amazon: Framing = {
  contentType: "application/vnd.amazon.eventstream",
  pack({ event = "", text }) {
    const kind = event.endsWith("Exception") ? "exception" : "event";
    return amazonFrame({ ":message-type": kind, [`:${kind}-type`]: event }, text);
  },
};

/** Events whose lines the API writes itself. */
export const blocks: Framing = { contentType: streamType, close: () => "\n\n" };

/** Lines of JSON. */
export const lines: Framing = {
  contentType: "application/x-ndjson",
  close: (script) => script.lineEnd ?? "\n",
};

/** Messages of a WebSocket, whose head was sent before the call came. */
export const socketMessages: Framing = {
  contentType: "",
  pack: ({ text }) => textFrame(text),
  message: textFrame,
};
