/** Reads long answers on its own thread, one after the other. */

import { findProvider } from "#providers/registry.ts";
import { type ApartQuestion, readApart } from "#relay/ways/apart.ts";
import type { ReadMessage } from "./answers-client.ts";

declare const self: {
  onmessage: ((event: MessageEvent<ApartQuestion>) => void) | null;
  postMessage(message: ReadMessage, transfer: readonly ArrayBuffer[]): void;
};

self.onmessage = ({ data }) => {
  const message = answer(data);
  const bytes = "read" in message && message.read.kind === "whole" ? message.read.bytes : null;
  const isOwn = bytes !== null && bytes.buffer.byteLength === bytes.length;
  self.postMessage(message, isOwn && bytes.buffer instanceof ArrayBuffer ? [bytes.buffer] : []);
};

function answer(question: ApartQuestion): ReadMessage {
  try {
    const provider = findProvider(question.provider);
    if (provider === undefined) return { failure: `no provider ${question.provider}` };
    return { read: readApart(question, provider) };
  } catch (error) {
    return { failure: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}
