/**
 * Meters an answer that is passed on as bytes, such as sound. Nothing is read from it, and the last
 * piece is held back until the call is settled.
 */

import type { Passed, StreamMeter } from "./stream-meter.ts";

const noBytes = new Uint8Array();

export function openBytesMeter(): StreamMeter {
  let last: Uint8Array = noBytes;
  let contentBytes = 0;
  const idle: Passed = { forward: [], blocked: false };
  return {
    push(chunk) {
      if (chunk.length === 0) return idle;
      const before = last;
      // A copy, because the chunk's memory is freed once it was taken.
      last = new Uint8Array(chunk);
      contentBytes += chunk.length;
      return before.length === 0 ? idle : { forward: [before], blocked: false };
    },
    resume: () => idle,
    allowedTokens: Infinity,
    wantedTokens: 0,
    outputTokens: 0,
    readOutput: () => ({ text: "", truncated: false }),
    correct() {},
    onReport: null,
    get contentSeen() {
      return contentBytes > 0;
    },
    finished: false,
    done: false,
    fault: undefined,
    issuedCount: 0,
    lastIssued: () => [],
    unfinishedBytes: 0,
    betweenEvents: true,
    end: () => ({
      tail: last,
      usage: { kind: "missing" },
      seenUsage: { kind: "missing" },
      tier: "",
      searches: 0,
      text: "",
      textTruncated: false,
      issued: [],
      contentBytes,
      outputTokens: 0,
      reasoningShare: 0,
      complete: contentBytes > 0,
    }),
  };
}
