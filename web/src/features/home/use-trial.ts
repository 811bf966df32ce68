/** The call that the visitor makes on the home page, from the press of the button to its bill. */

import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import {
  type ChatEnd,
  type ChatListeners,
  openFrameBuffer,
  streamChat,
  streamDemoCall,
} from "#api/stream.ts";
import { readPassedCall } from "./home.api.ts";
import type { CallSource, PassedCall } from "./passed-call.ts";
import type { Recording } from "./recording.ts";

export type Trial = {
  readonly state: "idle" | "running" | "done" | "failed";
  /** Counts the calls that were made; 0: none yet. */
  readonly turn: number;
  readonly text: string;
  /** Pieces of the answer so far. */
  readonly pieces: number;
  /** Milliseconds from the press to the end of the answer. */
  readonly tookMs: number;
  /** The call's row; null: it is not read yet, or cannot be. */
  readonly call: PassedCall | null;
  /** The row of the last call that has one; null: none has. */
  readonly lastCall: PassedCall | null;
  /** The server's message and code, if the call failed. */
  readonly fault: { readonly message: string; readonly code: string } | null;
};

type TrialCall = {
  readonly source: CallSource;
  readonly model: string;
  readonly question: string;
  readonly recording: Recording;
};

/** The most output tokens of a call of one's own. */
export const ownOutputMax = 200;

const idle: Trial = {
  state: "idle",
  turn: 0,
  text: "",
  pieces: 0,
  tookMs: 0,
  call: null,
  lastCall: null,
  fault: null,
};

export function useTrial(): {
  readonly trial: Trial;
  readonly send: (call: TrialCall) => void;
  readonly stop: () => void;
} {
  const [trial, setTrial] = useState(idle);
  const queries = useQueryClient();
  const running = useRef<AbortController | null>(null);
  useEffect(() => () => running.current?.abort(), []);

  async function run(sent: TrialCall, { signal }: AbortController): Promise<void> {
    const startMs = performance.now();
    let text = "";
    let pieces = 0;
    let requestId: string | null = null;
    setTrial(({ turn, lastCall }) => ({ ...idle, state: "running", turn: turn + 1, lastCall }));
    const frames = openFrameBuffer((shown: { text: string; pieces: number }) =>
      setTrial((now) => ({ ...now, ...shown })),
    );
    const listeners: ChatListeners = {
      onHead: (id) => void (requestId = id),
      onPiece({ content, reasoning }) {
        text += content;
        if (content !== "" || reasoning !== "") pieces += 1;
        frames.put({ text, pieces });
      },
    };
    const end = await answerOf(sent, listeners, signal);
    frames.flush();
    const tookMs = performance.now() - startMs;
    if (end.kind === "failed") {
      setTrial((now) => ({ ...now, state: "failed", tookMs, fault: end.fault }));
      return;
    }
    const { source, recording } = sent;
    const call =
      source === "recording"
        ? recording.call
        : requestId === null
          ? null
          : await readPassedCall(source, requestId);
    setTrial((now) => ({ ...now, state: "done", tookMs, call, lastCall: call ?? now.lastCall }));
    void queries.invalidateQueries({ queryKey: ["home-calls", source] });
  }

  return {
    trial,
    send(call) {
      running.current?.abort();
      running.current = new AbortController();
      void run(call, running.current);
    },
    stop: () => running.current?.abort(),
  };
}

async function answerOf(
  { source, model, question, recording }: TrialCall,
  listeners: ChatListeners,
  signal: AbortSignal,
): Promise<ChatEnd> {
  switch (source) {
    case "demo":
      return await streamDemoCall(question, listeners, signal);
    case "own":
      return await streamChat(
        {
          messages: [{ role: "user", content: question }],
          stream: true,
          model,
          group: "",
          max_tokens: ownOutputMax,
          temperature: 1,
        },
        listeners,
        signal,
      );
    case "recording":
      return await playRecording(recording, listeners, signal);
  }
}

async function playRecording(
  { pieces, pieceMs }: Recording,
  { onPiece }: ChatListeners,
  signal: AbortSignal,
): Promise<ChatEnd> {
  for (const content of pieces) {
    await new Promise((resolve) => setTimeout(resolve, pieceMs));
    if (signal.aborted) return { kind: "stopped" };
    onPiece({ content, reasoning: "" });
  }
  return { kind: "done" };
}
