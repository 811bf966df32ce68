/** Speech and transcriptions of ElevenLabs and Deepgram, for clients of OpenAI's format. */

import { afterEach, expect, test } from "bun:test";
import { deepgram } from "#providers/deepgram.ts";
import { elevenlabs } from "#providers/elevenlabs.ts";
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

const sound = Buffer.from(Array.from({ length: 90_000 }, (_, at) => at % 251));
const asSound = () => new Response(sound, { headers: { "content-type": "audio/mpeg" } });
const mapped = (model: string) => ({ modelMapping: new Map([["m", model]]) });
const speech = { model: "m", input: "你好, hello", voice: "voice-1" };

test("speech of ElevenLabs has the voice in the path, and its sound goes on as it comes", async () => {
  const { charges, post, seen } = open(asSound, {
    provider: elevenlabs,
    ...mapped("eleven_turbo_v2_5"),
  });
  const response = await post("/v1/audio/speech", {
    ...speech,
    response_format: "pcm",
    speed: 1.1,
  });

  expect([response.status, response.headers.get("content-type")]).toEqual([200, "audio/mpeg"]);
  expect(Buffer.from(await response.arrayBuffer()).equals(sound)).toBe(true);
  expect(seen[0]?.path).toBe("/v1/text-to-speech/voice-1/stream?output_format=pcm_24000");
  expect(seen[0]?.request.headers.get("xi-api-key")).toBe("sk-upstream-secret-1");
  expect(seen[0]?.request.headers.get("authorization")).toBeNull();
  expect(await seen[0]?.body.json()).toEqual({
    text: "你好, hello",
    model_id: "eleven_turbo_v2_5",
    voice_settings: { speed: 1.1 },
  });
  expect(charges()).toHaveLength(1);
});

test("speech of ElevenLabs and Deepgram is charged by the characters of its text", async () => {
  for (const [provider, name] of [
    [elevenlabs, "eleven_flash_v2_5"],
    [deepgram, "aura-2-thalia-en"],
  ] as const) {
    const models = new Set([name]);
    const { charges, post } = open(asSound, { provider, models, modelMapping: new Map() });
    const response = await post("/v1/audio/speech", { ...speech, model: name });

    expect((await response.arrayBuffer()).byteLength).toBe(sound.length);
    // Nine characters, at 2 units each.
    expect(charges()).toEqual([[18, "local"]]);
  }
});

test("speech of Deepgram has its settings in the query, and a voice is a model", async () => {
  const { post, seen } = open(asSound, { provider: deepgram, ...mapped("aura-2-thalia-en") });
  const plain = await post("/v1/audio/speech", { ...speech, speed: 2 });
  const voiced = await post("/v1/audio/speech", {
    ...speech,
    voice: "aura-2-arcas-en",
    response_format: "pcm",
  });
  await Promise.all([plain.arrayBuffer(), voiced.arrayBuffer()]);

  expect(plain.headers.get("x-tollgate-losses")).toBe("speed, voice");
  expect(voiced.headers.get("x-tollgate-losses")).toBeNull();
  expect(seen.map(({ path }) => path)).toEqual([
    "/v1/speak?model=aura-2-thalia-en&encoding=mp3",
    "/v1/speak?model=aura-2-arcas-en&encoding=linear16&container=none&sample_rate=24000",
  ]);
  expect(seen[0]?.request.headers.get("authorization")).toBe("Token sk-upstream-secret-1");
  expect(await seen[0]?.body.json()).toEqual({ text: "你好, hello" });
});

test("what a voice cannot do is refused before it is asked, and names the field", async () => {
  const { charges, post, seen } = open(asSound, { provider: elevenlabs });
  for (const [more, param] of [
    [{ voice: ".." }, "voice"],
    [{ voice: "" }, "voice"],
    [{ response_format: "flac" }, "response_format"],
    [{ response_format: "midi" }, "response_format"],
    [{ stream_format: "sse" }, "stream_format"],
  ] as const) {
    const response = await post("/v1/audio/speech", { ...speech, ...more });
    const { error } = (await response.json()) as { error: { param: string } };
    expect([response.status, error.param]).toEqual([400, param]);
  }
  expect([seen, charges()]).toEqual([[], []]);
});

const heard = {
  language_code: "eng",
  text: "Hello there.",
  words: [
    { text: "Hello", start: 0.1, end: 0.4, type: "word" },
    { text: " ", start: 0.4, end: 0.5, type: "spacing" },
    { text: "there.", start: 0.5, end: 0.9, type: "word" },
  ],
};
const listened = {
  metadata: { duration: 60.2 },
  results: {
    channels: [
      {
        detected_language: "en",
        alternatives: [
          {
            transcript: "Hello there.",
            words: [
              { word: "hello", start: 0.1, end: 0.4, punctuated_word: "Hello" },
              { word: "there", start: 0.5, end: 0.9, punctuated_word: "there." },
            ],
          },
        ],
      },
    ],
  },
};
const words = [
  { word: "Hello", start: 0.1, end: 0.4 },
  { word: "there.", start: 0.5, end: 0.9 },
];

test("a transcription of ElevenLabs is a form there, too, and is charged by the sound's length", async () => {
  const { charges, post, seen } = open(() => Response.json(heard), {
    provider: elevenlabs,
    ...mapped("scribe_v1"),
  });
  const form = formOf({ model: "m", language: "en" }, [["file", silence(60)]]);
  const response = await post("/v1/audio/transcriptions", form);

  expect([response.status, await response.json()]).toEqual([200, { text: "Hello there." }]);
  expect(seen[0]?.path).toBe("/v1/speech-to-text");
  const sent = await seen[0]?.request.formData();
  expect([sent?.get("model_id"), sent?.get("language_code"), sent?.get("model")]).toEqual([
    "scribe_v1",
    "en",
    null,
  ]);
  const file = sent?.get("file");
  expect(file instanceof Blob && file.size).toBe(silence(60).length);
  // A minute is 1,000 tokens, at 2 units each.
  expect(charges()).toEqual([[2_000, "local"]]);
});

test("a transcription of Deepgram is the file alone, charged by the seconds that it reports", async () => {
  const { charges, post, seen } = open(() => Response.json(listened), {
    provider: deepgram,
    ...mapped("nova-3"),
  });
  const form = formOf({ model: "m", language: "en", prompt: "names" }, [["file", silence(60)]]);
  const response = await post("/v1/audio/transcriptions", form);

  expect(response.headers.get("x-tollgate-losses")).toBe("prompt");
  expect(await response.json()).toEqual({
    text: "Hello there.",
    usage: { type: "duration", seconds: 61 },
  });
  expect(seen[0]?.path).toBe("/v1/listen?model=nova-3&smart_format=true&language=en");
  expect(seen[0]?.request.headers.get("content-type")).toBe("application/octet-stream");
  const sent = new Uint8Array((await seen[0]?.body.arrayBuffer()) ?? []);
  expect(silence(60).equals(sent)).toBe(true);
  expect(charges()).toEqual([[2_034, "upstream"]]);
});

test("transcriptions come as text, or with their words and times", async () => {
  for (const [provider, answer, duration, language] of [
    [elevenlabs, heard, 0.9, "eng"],
    [deepgram, listened, 60.2, "en"],
  ] as const) {
    const { post } = open(() => Response.json(answer), { provider });
    const ask = async (fields: Record<string, string>): Promise<Response> =>
      await post(
        "/v1/audio/transcriptions",
        formOf({ model: "m", ...fields }, [["file", silence(1)]]),
      );
    const plain = await ask({ response_format: "text" });
    const verbose = await ask({
      response_format: "verbose_json",
      "timestamp_granularities[]": "word",
    });

    expect([plain.headers.get("content-type"), await plain.text()]).toEqual([
      "text/plain; charset=utf-8",
      "Hello there.\n",
    ]);
    expect(await verbose.json()).toMatchObject({
      task: "transcribe",
      text: "Hello there.",
      language,
      duration,
      words,
      segments: [{ id: 0, start: 0.1, end: duration, text: "Hello there." }],
    });
    const refused = await ask({ response_format: "srt" });
    expect([refused.status, await refused.json()]).toMatchObject([
      400,
      { error: { param: "response_format" } },
    ]);
  }
});

test("an error of a voice is a failed call in the client's format, and costs nothing", async () => {
  for (const [provider, body] of [
    [elevenlabs, { detail: { status: "quota_exceeded", message: "no credits" } }],
    [deepgram, { err_code: "Bad Request", err_msg: "corrupt data", request_id: "r" }],
  ] as const) {
    const { charges, post } = open(() => Response.json(body, { status: 400 }), { provider });
    const spoken = await post("/v1/audio/speech", { ...speech });
    const heardOf = await post(
      "/v1/audio/transcriptions",
      formOf({ model: "m" }, [["file", silence(1)]]),
    );

    expect([spoken.status >= 400, heardOf.status >= 400, charges()]).toEqual([true, true, []]);
    expect(await spoken.json()).toMatchObject({ error: { type: expect.any(String) } });
  }
});
