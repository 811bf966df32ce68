/** What of a task's result goes on to whom, and how browsers and caches have to take it. */

import { expect, test } from "bun:test";
import type { ClientResponse, ResponseHead } from "#http/client-request.ts";
import type { TransportAnswer } from "#network/answer.ts";
import { midjourney } from "#platforms/midjourney.ts";
import { openaiVideo } from "#platforms/openai-video.ts";
import { sendResult } from "./results.ts";
import { taskChannel } from "./testing/fake-upstream.ts";
import type { TaskRow } from "./tasks.ts";

type Scene = {
  readonly mediaType?: string;
  readonly parts?: readonly (Buffer | string)[];
  readonly contentLength?: number | null;
  /** Whether the request came with a key. */
  readonly keyed?: boolean;
  readonly status?: string;
  readonly isVideo?: boolean;
};

/** Sends a result of at most 1,000 bytes if it is a drawing, else of 5,000. */
async function send(scene: Scene) {
  const parts = (scene.parts ?? ["\u0089PNG"]).map((part) => Buffer.from(part));
  let cancelled = false;
  const answer: TransportAnswer = {
    kind: "answer",
    status: 200,
    mediaType: scene.mediaType ?? "image/png",
    contentLength: scene.contentLength ?? null,
    retryAfter: null,
    read: async () => parts.shift() ?? null,
    flowTo() {},
    readAll: async () => Buffer.alloc(0),
    cancel: () => void (cancelled = true),
  };
  const sent = { bytes: 0, end: "" };
  const ended = Promise.withResolvers<void>();
  let head: ResponseHead | null = null;
  const endAs = (end: string) => {
    sent.end = end;
    ended.resolve();
  };
  const sink = {
    write: (bytes: Uint8Array) => void (sent.bytes += bytes.length),
    isFull: () => false,
    onDrained() {},
    end: () => endAs("whole"),
    abort: () => endAs("broken"),
  };
  const given = {
    deps: {
      transport: async () => answer,
      resultBytesMax: (kind: string) => (kind === "drawing" ? 1_000 : 5_000),
    },
    platform: scene.isVideo === true ? openaiVideo : midjourney,
    channel: taskChannel({ id: 1, keys: ["k"] }),
    row: {
      task_id: "T1",
      upstream_id: "",
      result_url: "https://pictures.example/1.html",
      status: scene.status ?? "SUCCESS",
      data: "{}",
    } as Partial<TaskRow>,
    call: {
      caller: scene.keyed === true ? {} : null,
      requestId: "r",
      say: (message: string) => message,
      request: {
        onDisconnect() {},
        stream(given: ResponseHead) {
          head = given;
          return sink;
        },
      },
    },
    address: undefined,
    variant: "",
  };
  // Safe cast: nothing else is read of a result that has an address of its own.
  const refused: ClientResponse | null = await sendResult(
    given as unknown as Parameters<typeof sendResult>[0],
  );
  if (refused === null) await ended.promise;
  const headers = Object(head ?? refused)["headers"] as Record<string, string>;
  return { status: refused?.status ?? 200, headers, ...sent, cancelled };
}

test("what a key was needed for is kept by no cache, whatever the state of the task", async () => {
  for (const [scene, rule] of [
    [{ keyed: true }, "private, no-store"],
    [{ keyed: true, isVideo: true, mediaType: "video/mp4" }, "private, no-store"],
    [{ keyed: true, status: "IN_PROGRESS" }, "private, no-store"],
    [{}, "public, max-age=3600"],
    [{ status: "IN_PROGRESS" }, "no-store"],
  ] as const) {
    expect((await send(scene)).headers["cache-control"]).toBe(rule);
  }
});

test("a drawing above the limit is not passed on, with and without a length, and a video has its own", async () => {
  const large = Buffer.alloc(600, 1);
  const told = await send({ contentLength: 1_001 });
  expect([told.status, told.bytes, told.cancelled]).toEqual([502, 0, true]);
  const untold = await send({ parts: [large, large] });
  expect([untold.end, untold.bytes, untold.cancelled]).toEqual(["broken", 600, true]);
  const fits = await send({ parts: [large, large.subarray(200)] });
  expect([fits.end, fits.bytes]).toEqual(["whole", 1_000]);
  const video = await send({ isVideo: true, mediaType: "video/mp4", parts: [large, large] });
  expect([video.end, video.bytes]).toEqual(["whole", 1_200]);
});

test("no page goes on by any name or type, and every result says how it is to be saved", async () => {
  for (const scene of [
    { mediaType: "text/html" },
    { mediaType: "image/svg+xml" },
    { mediaType: "application/xhtml+xml" },
    { mediaType: "image/png", parts: ["<!doctype html><script>1</script>"] },
    { mediaType: "image/png", parts: ["\ufeff \r\n\t<svg onload=1>"] },
    { mediaType: "application/octet-stream", parts: ["GIF89a <SCRIPT>1</script>"] },
    { mediaType: "video/mp4", parts: ["<?xml version='1.0'?><html>"] },
    { mediaType: "image/png", parts: [] },
  ]) {
    const { bytes, cancelled, status } = await send(scene);
    expect([scene, status, bytes, cancelled]).toEqual([scene, 502, 0, true]);
  }
  for (const [mediaType, place] of [
    ["image/png", 'inline; filename="T1.png"'],
    ["video/mp4", 'inline; filename="T1.mp4"'],
    ["application/octet-stream", 'attachment; filename="T1.bin"'],
    ["image/x-odd", 'attachment; filename="T1.bin"'],
  ] as const) {
    const { headers } = await send({ mediaType });
    expect(headers["content-disposition"]).toBe(place);
    expect(headers["x-content-type-options"]).toBe("nosniff");
  }
});
