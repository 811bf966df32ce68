/** Sound through the relay: speech as bytes, transcriptions as forms. */

import { afterEach, expect, test } from "bun:test";
import { eventually } from "#base/testing/waiting.ts";
import { startUpstream } from "#network/testing/upstream.ts";
import { formOf, openMediaRelay, silence } from "./testing/media.ts";

const opened: { stop(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of opened.splice(0)) await each.stop();
});

function open(...given: Parameters<typeof openMediaRelay>) {
  const made = openMediaRelay(...given);
  opened.push(made);
  return made;
}

const speech = { model: "m", input: "你好, hello", voice: "alloy" };
const sound = Buffer.from(Array.from({ length: 90_000 }, (_, at) => at % 251));
const mp3 = { headers: { "content-type": "audio/mpeg" } };

test("speech streams as the bytes and type that came, and is charged by its text", async () => {
  const { post, charges, relay } = open(() => new Response(sound, mp3), {
    models: new Set(["tts-1"]),
    modelMapping: new Map(),
  });
  relay.callers.token = {};
  const response = await post("/v1/audio/speech", { ...speech, model: "tts-1" });

  expect([response.status, response.headers.get("content-type")]).toEqual([200, "audio/mpeg"]);
  expect(Buffer.from(await response.arrayBuffer()).equals(sound)).toBe(true);
  // Nine characters, at 2 units each.
  expect(charges()).toEqual([[18, "local"]]);
});

test("speech whose upstream breaks off ends broken at the client, and is charged as sent", async () => {
  const upstream = await startUpstream((socket) => {
    socket.write("HTTP/1.1 200 OK\r\ncontent-type: audio/mpeg\r\ncontent-length: 90000\r\n\r\n");
    socket.write(sound.subarray(0, 50_000), () => socket.destroy());
  });
  opened.push(upstream);
  const { post, relay } = open(() => new Response(), { baseUrl: upstream.url });
  const response = await post("/v1/audio/speech", speech);
  const read = await response.arrayBuffer().then(
    () => "whole",
    () => "broken",
  );

  expect(read).toBe("broken");
  await eventually(() => relay.money.settled.length === 1);
  expect(relay.money.settled[0]?.log.interrupted).toBe("上游中断");
});

test("speech of which no byte comes is a failure, and free", async () => {
  const { post, charges, relay } = open(() => new Response(new Uint8Array(), mp3));
  const response = await post("/v1/audio/speech", speech);
  await response.text();

  expect([response.status, charges(), relay.money.held]).toEqual([502, [], 0]);
});

test("a client that leaves speech pays for the text, and the upstream is not read for ever", async () => {
  const { post, relay } = open(() => {
    const body = new ReadableStream({
      async pull(controller) {
        controller.enqueue(new Uint8Array(100_000));
        await Bun.sleep(5);
      },
    });
    return new Response(body, mp3);
  });
  const leave = new AbortController();
  const response = await post("/v1/audio/speech", speech, { signal: leave.signal });
  await response.body?.getReader().read();
  leave.abort();
  await eventually(() => relay.counts.disconnects === 1);
  relay.skipMs = 10_000;
  await eventually(() => relay.money.settled.length === 1);

  expect([relay.money.settled[0]?.log.interrupted, relay.money.held]).toEqual(["客户端断开", 0]);
});

test("speech as events is passed on and charged by the usage in the last one", async () => {
  const events = [
    { type: "speech.audio.delta", audio: "AAAA" },
    { type: "speech.audio.done", usage: { input_tokens: 6, output_tokens: 20, total_tokens: 26 } },
  ];
  const text = events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");
  const { post, charges } = open(
    () => new Response(text, { headers: { "content-type": "text/event-stream" } }),
  );
  const response = await post("/v1/audio/speech", { ...speech, stream_format: "sse" });

  expect([response.headers.get("content-type"), await response.text()]).toEqual([
    "text/event-stream; charset=utf-8",
    text,
  ]);
  expect(charges()).toEqual([[6 * 2 + 20 * 8, "upstream"]]);
});

test("P-M3: speech without text, or too much of it, is refused before an upstream is asked", async () => {
  const { post, seen } = open(() => new Response(sound, mp3));
  for (const [more, param] of [
    [{ input: "" }, "input"],
    [{ input: ["a"] }, "input"],
    [{ input: "a".repeat(100_001) }, "input"],
    [{ stream_format: "wav" }, "stream_format"],
  ] as const) {
    const response = await post("/v1/audio/speech", { ...speech, ...more });
    const { error } = (await response.json()) as { error: { code: string; param: string } };
    expect([response.status, error.code, error.param]).toEqual([
      400,
      "invalid_audio_request",
      param,
    ]);
  }
  expect(seen).toEqual([]);
});

test("a transcription is charged by reported seconds, reported tokens, or the sound's own length", async () => {
  const answers: unknown[] = [
    { text: "hi", usage: { type: "duration", seconds: 61 } },
    { text: "hi", duration: 61, segments: [] },
    {
      text: "hi",
      usage: {
        type: "tokens",
        input_tokens: 30,
        input_token_details: { audio_tokens: 20, text_tokens: 10 },
        output_tokens: 4,
        total_tokens: 34,
      },
    },
    { text: "hi" },
  ];
  const { post, charges, seen } = open(() => Response.json(answers.shift()));
  for (let left = answers.length; left > 0; left -= 1) {
    const form = formOf({ "timestamp_granularities[]": "word", model: "m" }, [
      ["file", silence(90)],
    ]);
    form.append("timestamp_granularities[]", "segment");
    const response = await post("/v1/audio/transcriptions", form);
    expect([response.status, await response.json()]).toMatchObject([200, { text: "hi" }]);
  }
  const [sent] = seen;
  const got = await new Response(sent?.body, {
    headers: { "content-type": sent?.request.headers.get("content-type") ?? "" },
  }).formData();

  expect(got.getAll("timestamp_granularities[]").map(String)).toEqual(["word", "segment"]);
  expect(charges()).toEqual([
    [1_017 * 2, "upstream"],
    [1_017 * 2, "upstream"],
    // Sound costs 20 times as much as text.
    [10 * 2 + 20 * 40 + 4 * 8, "upstream"],
    [1_500 * 2, "local"],
  ]);
});

test("T26: a transcription's stream is charged by its last event", async () => {
  const usage = { type: "tokens", input_tokens: 30, output_tokens: 4, total_tokens: 34 };
  const events = [
    { type: "transcript.text.delta", delta: "hi" },
    { type: "transcript.text.done", text: "hi", usage },
  ];
  const text = events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");
  const { post, charges } = open(
    () => new Response(text, { headers: { "content-type": "text/event-stream" } }),
  );
  const form = formOf({ model: "m", stream: "true" }, [["file", silence(1)]]);
  const response = await post("/v1/audio/transcriptions", form);

  expect(await response.text()).toBe(text);
  expect(charges()).toEqual([[30 * 2 + 4 * 8, "upstream"]]);
});

test("subtitles and plain text arrive as such, and no type that browsers run is passed on", async () => {
  const types = ["text/plain", "text/vtt", "application/x-subrip", "text/html"];
  const { post, charges } = open(
    () => new Response("WEBVTT\n\nhi", { headers: { "content-type": types[0] ?? "" } }),
  );
  const shown: (string | null)[] = [];
  while (types.length > 0) {
    const form = formOf({ model: "m", response_format: "vtt" }, [["file", silence(6)]]);
    const response = await post("/v1/audio/translations", form);
    expect(await response.text()).toBe("WEBVTT\n\nhi");
    shown.push(response.headers.get("content-type"));
    types.shift();
  }

  expect(shown).toEqual([
    "text/plain",
    "text/vtt",
    "application/x-subrip",
    "application/octet-stream",
  ]);
  expect(charges()).toEqual(Array.from({ length: 4 }, () => [200, "local"]));
});

test("P-M4: a length that the file cannot have is replaced by the file's own", async () => {
  const hostile = [1e9, -4, 200_000, "long"];
  const { post, charges } = open(() =>
    Response.json({ text: "hi", usage: { type: "duration", seconds: hostile[0] } }),
  );
  while (hostile.length > 0) {
    await post("/v1/audio/transcriptions", formOf({ model: "m" }, [["file", silence(6)]]));
    hostile.shift();
  }

  expect(charges()).toEqual(Array.from({ length: 4 }, () => [200, "suspect"]));
});

test("P-M3: a transcription needs one file, and a known form of answer", async () => {
  const { post, seen, relay } = open(() => Response.json({ text: "hi" }));
  const file: [string, Buffer] = ["file", silence(1)];
  for (const [form, param] of [
    [formOf({ model: "m" }, []), "file"],
    [formOf({ model: "m" }, [file, file]), "file"],
    [formOf({ model: "m", response_format: "html" }, [file]), "response_format"],
    [formOf({ model: "m", stream: "maybe" }, [file]), "stream"],
  ] as const) {
    const response = await post("/v1/audio/transcriptions", form);
    const { error } = (await response.json()) as { error: { param: string } };
    expect([response.status, error.param]).toEqual([400, param]);
  }
  const json = await post("/v1/audio/transcriptions", { model: "m" });
  expect([json.status, seen.length, relay.money.held]).toEqual([400, 0, 0]);
});

test("a transcription whose channel fails is sent whole to the next one", async () => {
  let tries = 0;
  const { post, seen } = open(
    () => {
      tries += 1;
      return tries === 1 ? new Response("", { status: 503 }) : Response.json({ text: "hi" });
    },
    { id: 1 },
  );
  const response = await post(
    "/v1/audio/transcriptions",
    formOf({ model: "m" }, [["file", silence(30)]]),
  );

  // One channel only: the failure is the answer, and the file came whole.
  expect([response.status, (seen[0]?.body.size ?? 0) > 480_000]).toEqual([503, true]);
});

test("a transcript that is text goes on as it came, with its charset, in every form", async () => {
  const srt = "1\n00:00:00,000 --> 00:00:01,000\n你好 ✓\n";
  for (const [type, text, shown] of [
    ["text/plain; charset=utf-8", "data: 你好", "text/plain; charset=utf-8"],
    ["text/plain", "event: a meeting", "text/plain"],
    ['Text/Plain;Charset="UTF-8"', srt, "text/plain; charset=utf-8"],
    ["application/x-subrip; charset=UTF-8", srt, "application/x-subrip; charset=utf-8"],
    ["text/srt", srt, "text/srt"],
    ["text/vtt; charset=utf-8", `WEBVTT\n\n${srt}`, "text/vtt; charset=utf-8"],
    ["text/plain; charset=made-up", "hi", "text/plain"],
    ["text/html; charset=utf-8", "hi", "application/octet-stream"],
  ] as const) {
    const { post, charges } = open(() => new Response(text, { headers: { "content-type": type } }));
    const form = formOf({ model: "m", response_format: "srt" }, [["file", silence(3)]]);
    const response = await post("/v1/audio/transcriptions", form);
    expect([type, response.status, await response.text()]).toEqual([type, 200, text]);
    expect(response.headers.get("content-type")).toBe(shown);
    expect(charges()).toHaveLength(1);
  }
});
