/** What upstreams answer, in every format: read, translated to every format of clients, or metered. */

import { amazonFrame } from "#base/frames/testing/amazon-frame.ts";
import type { Json } from "#base/json.ts";
import { defaultSampling, noHints, textPart } from "#canonical/request.ts";
import type { ClientFormat } from "#formats/format.ts";
import { formats } from "#formats/registry.ts";
import { cut } from "#formats/testing/recordings.ts";
import type { Framing } from "#formats/translation.ts";
import { type TranslatedFormatId, translations } from "#formats/translation-registry.ts";
import { asStream, asWhole } from "#relay/meter/other-mode.ts";
import { openStopCutter } from "#formats/shared/fit/cut-stops.ts";
import { openStreamMeter, type StreamMeter } from "#relay/meter/stream-meter.ts";
import { meterAnswer } from "#relay/meter/answer-meter.ts";
import { testChannel } from "#relay/testing/relay.ts";
import { readTranslated } from "#relay/ways/read-translated.ts";
import type { AnsweredCall, Reading } from "#relay/ways/way.ts";
import { translatedClientIds, type TranslatedClientId } from "#test/recordings/played.ts";
import { answerSamples, type AnswerSample, scannedSamples } from "./answer-samples.ts";
import { amplify } from "./amplify.ts";
import type { Family, Subject } from "./measure.ts";

/** Stop sequences that begin alike, of which none comes. */
const stops = Array.from({ length: 64 }, (_, length) => `${"a".repeat(length)}\u0007`);

/** The size of a piece in which answers arrive, and that of small ones, in bytes. */
const pieceBytes = 16 * 1024;
const smallPieceBytes = 32;

export const answers: readonly Subject[] = Object.keys(translations).flatMap((name, index) => {
  // Safe cast: these are the keys of the table.
  const format = name as TranslatedFormatId;
  const client = translatedClientIds[index % translatedClientIds.length] ?? "openai-chat";
  return [
    { name: `a stream of ${format}`, families: familiesOf(format, client, true) },
    { name: `an answer of ${format}`, families: familiesOf(format, client, false) },
  ];
});

function familiesOf(
  format: TranslatedFormatId,
  client: TranslatedClientId,
  isStream: boolean,
): readonly Family[] {
  const { frames, whole } = answerSamples[format];
  if (!isStream) {
    const given = (answer: Json) => {
      const bytes = Buffer.from(JSON.stringify(answer));
      return () => {
        const read = readingOf(format, client).readWhole(callOf(client), bytes, "");
        return read.kind === "whole" ? read.bytes.length : 0;
      };
    };
    const grown = amplify(whole);
    return [
      ...grown.map(({ name, make }) => ({ name, make: (bytes: number) => given(make(bytes)) })),
      ...grown
        .filter(({ name }) => name.startsWith("many"))
        .map(({ name, make }) => ({
          name: `${name}, each with ids of its own`,
          make: (bytes: number) => given(renumber(make(bytes), { next: 0 })),
        })),
    ];
  }
  const { framing } = translations[format].upstream;
  const play = (all: AnswerSample["frames"], size: number) => {
    const stream = Buffer.concat(all.map((frame) => bytesOf(framing, frame)));
    return () => playStream(readingOf(format, client).openMeter(callOf(client)), cut(stream, size));
  };
  const repeated = frames.map((frame, index) => ({
    name: `many of event ${index}`,
    make: (bytes: number) => {
      const count = Math.max(1, bytes / (frame.data.length + 16));
      const many = Array.from({ length: count }, () => frame);
      return play([...frames.slice(0, index), ...many, ...frames.slice(index + 1)], pieceBytes);
    },
  }));
  const numbered = frames.map((frame, index) => ({
    name: `many of event ${index}, each with ids of its own`,
    make: (bytes: number) => {
      const count = Math.max(1, bytes / (frame.data.length + 24));
      const numbers = { next: 0 };
      const many = Array.from({ length: count }, () => {
        const data = renumber(JSON.parse(frame.data) as Json, numbers); // Safe cast: it is JSON.
        return { ...frame, data: JSON.stringify(data) };
      });
      return play([...frames.slice(0, index), ...many, ...frames.slice(index + 1)], pieceBytes);
    },
  }));
  const grown = frames.flatMap((frame, index) =>
    amplify(JSON.parse(frame.data) as Json).map(({ name, make }) => ({
      name: `event ${index}: ${name}`,
      make: (bytes: number) => {
        const data = JSON.stringify(make(bytes));
        return play(frames.with(index, { ...frame, data }), pieceBytes);
      },
    })),
  );
  const small = {
    name: "small pieces",
    make: (bytes: number) => {
      const [first = { event: "message", data: "{}" }] = frames;
      const data = JSON.stringify({ a: "{}".repeat(bytes / 2) });
      return play([{ ...first, data }, ...frames], smallPieceBytes);
    },
  };
  return [...repeated, ...numbered, ...grown, small];
}

/** Keys by which answers tell their parts apart. */
const numberedKeys = /^(?:index|.*(?:_index|BlockIndex)|id|.*(?:_id|Id))$/;

/** Gives each object of an answer ids and numbers of its own. */
function renumber(value: Json, numbers: { next: number }): Json {
  if (Array.isArray(value)) return value.map((each: Json) => renumber(each, numbers));
  if (typeof value !== "object" || value === null) return value;
  numbers.next += 1;
  const number = numbers.next;
  const one = (key: string, each: Json): Json => {
    if (!numberedKeys.test(key)) return renumber(each, numbers);
    if (typeof each === "number") return number;
    return typeof each === "string" ? `${each}${number}` : renumber(each, numbers);
  };
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, one(key, each)]));
}

function bytesOf(framing: Framing, { event, data }: AnswerSample["frames"][number]): Uint8Array {
  switch (framing) {
    case "aws-event-stream":
      return amazonFrame({ ":message-type": "event", ":event-type": event }, data);
    case "json-lines":
      return Buffer.from(`${data}\n`);
    case "whole-body":
      return Buffer.from(data);
    case "meta-events":
    case "sse":
      return Buffer.from(`event: ${event}\ndata: ${data}\n\n`);
  }
}

function playStream(meter: StreamMeter, pieces: readonly Uint8Array[]): number {
  let output = 0;
  for (const piece of pieces) {
    for (const sent of meter.push(piece).forward) output += sent.length;
  }
  return output + meter.end().tail.length;
}

/** The call whose answer is read. */
function callOf(client: TranslatedClientId): AnsweredCall {
  const format: ClientFormat = formats[client].client;
  const bytes = Buffer.from(JSON.stringify(format.smallRequest("m", "chat")));
  const body = format.readRequest(bytes, { modality: "chat", model: "m" });
  if ("message" in body) throw new Error(body.message);
  return { body, format };
}

const channel = testChannel({ baseUrl: "http://127.0.0.1:1" });

function readingOf(format: TranslatedFormatId, client: TranslatedClientId): Reading {
  return readTranslated(channel, {
    client: translations[client].client,
    upstream: translations[format].upstream,
    asked: {
      responseId: "r",
      model: "m",
      createdAt: 1,
      promptTokens: 1,
      wantsUsage: true,
      body: {},
      request: {
        model: "m",
        items: [{ type: "message", role: "user", parts: [textPart("hi")] }],
        tools: [],
        toolChoice: null,
        parallelToolCalls: null,
        limits: { count: 1, maxOutputTokens: null, stopSequences: [] },
        sampling: defaultSampling,
        reasoning: null,
        output: null,
        media: null,
        stream: true,
        hints: noHints,
      },
    },
    received: null,
    restore: openStopCutter(stops),
    losses: [],
    betas: [],
    changesPrice: false,
  });
}

/** What is only passed on, and scanned for usage and output. */
const passed: readonly Subject[] = Object.entries(formats).flatMap(
  ([name, { upstream }]): Subject[] => {
    const { frames, whole } = scannedSamples[name as keyof typeof formats];
    const options = { format: upstream, readUsage: upstream.readUsage, dropUsage: false };
    const scanWhole = (given: Uint8Array) => () => {
      const metered = meterAnswer(given, options);
      return void [metered.usage, metered.fault];
    };
    const scanStream = (stream: Uint8Array, size: number) => () => {
      const meter = openStreamMeter(options);
      for (const piece of cut(stream, size)) meter.push(piece);
      meter.end();
    };
    const eventOf = (data: string): string => `data: ${data}\n\n`;
    const wholes = amplify(whole).map(({ name: family, make }): Family => ({
      name: family,
      make: (bytes) => scanWhole(Buffer.from(JSON.stringify(make(bytes)))),
    }));
    const errors = amplify({ error: { message: "m", type: "t", code: "c" } }).map(
      ({ name: family, make }): Family => ({
        name: `an error: ${family}`,
        make: (bytes) => {
          const body = make(bytes);
          return () => void upstream.readErrorBody(body);
        },
      }),
    );
    const repeated = frames.map(({ data }, index): Family => ({
      name: `many of event ${index}`,
      make: (bytes) => {
        const count = Math.max(1, bytes / (data.length + 8));
        return scanStream(Buffer.from(eventOf(data).repeat(count)), pieceBytes);
      },
    }));
    const grown = frames.flatMap(({ data }, index) =>
      amplify(JSON.parse(data) as Json).flatMap(({ name: family, make }): Family[] => [
        {
          name: `event ${index}: ${family}`,
          make: (bytes) =>
            scanStream(Buffer.from(eventOf(JSON.stringify(make(bytes)))), pieceBytes),
        },
      ]),
    );
    const small: Family = {
      name: "small pieces",
      make: (bytes) =>
        scanStream(Buffer.from(eventOf(`"${"{}".repeat(bytes / 2)}"`)), smallPieceBytes),
    };
    return [
      { name: `${name}, whole`, families: [...wholes, ...errors] },
      { name: `${name}, streamed`, families: [...repeated, ...grown, small] },
    ];
  },
);

/** Answers in the other mode than they were asked for. */
const otherModes: readonly Subject[] = Object.entries(formats).flatMap(
  ([name, { upstream }]): Subject[] => {
    const { otherMode } = upstream;
    if (otherMode === undefined) return [];
    const { frames, whole } = scannedSamples[name as keyof typeof formats];
    const streamed = amplify(whole).map(({ name: family, make }): Family => ({
      name: family,
      make: (bytes) => {
        const answer = Buffer.from(JSON.stringify(make(bytes)));
        return () => asStream(otherMode, answer, "chat")?.length ?? 0;
      },
    }));
    const many = (data: string, bytes: number, numbers: { next: number } | null) => {
      const count = Math.max(1, bytes / (data.length + 8));
      const events = Array.from({ length: count }, () => {
        if (numbers === null) return data;
        return JSON.stringify(renumber(JSON.parse(data) as Json, numbers)); // Safe cast: it is JSON.
      });
      return Buffer.from(events.map((event) => `data: ${event}\n\n`).join(""));
    };
    const joined = frames.flatMap(({ data }, index) =>
      [null, { next: 0 }].map((numbers): Family => ({
        name: `many of event ${index}${numbers === null ? "" : ", each with ids of its own"}`,
        make: (bytes) => {
          const stream = many(data, bytes, numbers);
          return () => asWhole(otherMode, stream)?.length ?? 0;
        },
      })),
    );
    return [
      { name: `${name}, whole as a stream`, families: streamed },
      { name: `${name}, a stream as a whole`, families: joined },
    ];
  },
);

export const scanners: readonly Subject[] = [...passed, ...otherModes];
