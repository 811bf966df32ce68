/** Sessions of Gemini's Live API through a relay to the demo upstream. */

import { afterAll, afterEach, beforeEach } from "bun:test";
import {
  GoogleGenAI,
  type LiveConnectConfig,
  type LiveServerMessage,
  Modality,
} from "@google/genai";
import { startUpstreams } from "#test/upstreams/start.ts";
import type { DemoScript } from "@tollgate/demo/script.ts";
import { gemini } from "#providers/gemini.ts";
import {
  openTestRelay,
  testChannel,
  testKey,
  type TestRelay,
  type TestRelayOptions,
} from "#relay/testing/relay.ts";
import type { ChannelView } from "#ports/snapshot.ts";

/** Every turn says five pieces and reads 100 tokens, unless a test says otherwise. */
const usual: DemoScript = { events: 5, promptTokens: 100 };

/** The path of a session. */
export const path = "/ws/google.ai.generativelanguage.v1beta.GenerativeService.BidiGenerateContent";

export const setup = { setup: { model: "models/m" } };
export const question = { clientContent: { turns: [], turnComplete: true } };

/** Connects as a program without the SDK does. */
export function connect({ url }: TestRelay, first: unknown) {
  const socket = new WebSocket(`${url.replace("http", "ws")}${path}?key=${testKey}`);
  const closes: string[] = [];
  let messages = 0;
  socket.addEventListener("message", () => void (messages += 1));
  socket.addEventListener("close", ({ code, reason }) => void closes.push(`${code} ${reason}`));
  const send = (message: unknown): void =>
    socket.send(typeof message === "string" ? message : JSON.stringify(message));
  let isOpen = false;
  socket.addEventListener("open", () => {
    isOpen = true;
    if (first !== null) send(first);
  });
  return {
    closes,
    send,
    messages: () => messages,
    isOpen: () => isOpen,
    close: () => socket.close(),
  };
}

/** Serves sessions that answer each message as the test says. */
function serveAs(answer: (send: (message: object) => void) => void, upgraded: () => Promise<void>) {
  const seen = { closes: 0 };
  const upstream = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request, server) {
      await upgraded();
      return server.upgrade(request) ? undefined : new Response("no", { status: 400 });
    },
    websocket: {
      message: (socket) => answer((message) => void socket.send(JSON.stringify(message))),
      close: () => void (seen.closes += 1),
    },
  });
  return { seen, upstream };
}

/** Starts the demo upstream for the tests of a file. */
export function startLiveScene() {
  const demo = startUpstreams();
  const stops: (() => unknown)[] = [];
  afterAll(async () => await demo.stop());
  afterEach(async () => {
    for (const stop of stops.splice(0)) await stop();
  });
  beforeEach(async () => {
    await fetch(`${demo.url}/__demo/reset`, { method: "POST" });
  });

  async function open(
    script: DemoScript = {},
    options: Partial<TestRelayOptions> & { readonly channel?: Partial<ChannelView> } = {},
  ): Promise<TestRelay> {
    const body = JSON.stringify({ ...usual, ...script });
    await fetch(`${demo.url}/__demo/scripts/live-upstream`, { method: "PUT", body });
    const { channel = {}, ...given } = options;
    const relay = openTestRelay({
      channels: [
        testChannel({
          baseUrl: demo.url,
          provider: gemini,
          models: new Set(["m", "unpriced"]),
          modelMapping: new Map([["m", "live-upstream"]]),
          ...channel,
        }),
      ],
      ...given,
    });
    stops.push(relay.stop);
    return relay;
  }

  /** Connects with Google's SDK, to Google AI or as if Tollgate was Vertex (`v1beta1`). */
  async function talk({ url }: TestRelay, config: LiveConnectConfig = {}, apiVersion = "v1beta") {
    const heard: LiveServerMessage[] = [];
    const closes: { readonly code: number; readonly reason: string }[] = [];
    const vertexai = apiVersion === "v1beta1";
    const httpOptions = { baseUrl: url, apiVersion };
    const ai = new GoogleGenAI({ apiKey: testKey, httpOptions, vertexai });
    const session = await ai.live.connect({
      model: "m",
      config: { responseModalities: [Modality.AUDIO], outputAudioTranscription: {}, ...config },
      callbacks: {
        onmessage: (message) => void heard.push(message),
        onclose: ({ code, reason }) => void closes.push({ code, reason: String(reason) }),
      },
    });
    stops.push(() => session.close());
    const turns = (): number =>
      heard.filter(({ serverContent }) => serverContent?.turnComplete === true).length;
    const ask = (text: string): void => session.sendClientContent({ turns: text });
    return { session, heard, closes, turns, ask };
  }

  /** Opens a relay to an upstream of the test's own, which answers each message as it says. */
  async function openTo(
    answer: (send: (message: object) => void) => void,
    upgraded: () => Promise<void> = async () => {},
  ) {
    const { seen, upstream } = serveAs(answer, upgraded);
    stops.push(() => upstream.stop(true));
    const channel = { baseUrl: `http://127.0.0.1:${upstream.port}` };
    return { relay: await open({}, { channel }), seen };
  }

  return { demo, open, openTo, stops, talk };
}
