/**
 * Lets the relaying thread have long answers read on another one, which starts when needed and ends
 * when idle.
 */

import type { ApartAnswer, ApartQuestion } from "#relay/ways/apart.ts";
import { type LineTask, openTaskLine } from "./task-line.ts";

/** What the thread says of an answer. `failure`: the code that read it has a bug. */
export type ReadMessage = { readonly read: ApartAnswer } | { readonly failure: string };

/** How long an answer may take, in milliseconds: the longest, full of small values, takes seconds. */
const answerMaxMs = { first: 30_000, later: 20_000 };

/** How long the thread may be idle before it ends and its memory is given back, in milliseconds. */
const idleMs = 30_000;

type Task = LineTask & { answer(message: ReadMessage): void };

/** @param limits left out: as long as usual. */
export function openAnswerThread(start: () => Worker, limits = answerMaxMs) {
  let isClosed = false;
  let idle: ReturnType<typeof setTimeout> | undefined;
  let last: Promise<unknown> = Promise.resolve();
  const line = openTaskLine<Task, ReadMessage>({
    start,
    maxMs: limits,
    onAnswer: (task, message) => task?.answer(message),
    onIdle() {
      clearTimeout(idle);
      idle = setTimeout(line.close, idleMs).unref();
    },
  });

  function readNow(question: ApartQuestion): Promise<ApartAnswer | null> {
    if (isClosed) return Promise.resolve(null);
    clearTimeout(idle);
    return new Promise((resolve, reject) =>
      line.add({
        send: (to) => send(to, question),
        answer(message) {
          if ("read" in message) resolve(message.read);
          else reject(new Error(`an answer could not be read: ${message.failure}`));
        },
        fail: () => resolve(null),
        // Its memory has moved to the thread that has ended.
        again: () => false,
      }),
    );
  }

  return {
    /** Null: it took too long. The thread gets one after the other, so that none ends others. */
    read(question: ApartQuestion): Promise<ApartAnswer | null> {
      const read = last.then(() => readNow(question));
      last = read.catch(() => undefined);
      return read;
    },
    close(): void {
      isClosed = true;
      clearTimeout(idle);
      line.close();
    },
  };
}

/** Sends a question. The memory of the answer moves to the thread, because to copy it takes long. */
function send(to: Worker, question: ApartQuestion): void {
  const { received } = question;
  const answer = ownBytes(question.answer);
  // A copy, because the buffer behind a body may hold other requests, and the body is used later.
  const bytes = new Uint8Array(received.bytes);
  const sent: ApartQuestion = { ...question, answer, received: { ...received, bytes } };
  to.postMessage(sent, [answer.buffer, bytes.buffer]);
}

function ownBytes(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const { buffer, length } = bytes;
  const isWhole = buffer instanceof ArrayBuffer && buffer.byteLength === length;
  return isWhole ? new Uint8Array(buffer) : new Uint8Array(bytes);
}
