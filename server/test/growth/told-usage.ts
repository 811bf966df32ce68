/** How the tokens that the gateway has counted are written into answers, in every format that tells them. */

import { noUsage } from "@tollgate/contract/money/charge.ts";
import type { Json } from "#base/json.ts";
import type { Usage } from "#canonical/usage.ts";
import type { ClientFormat, UsageWords } from "#formats/format.ts";
import { clientFormatIds, formats } from "#formats/registry.ts";
import { tellInAnswer, tellInEvents } from "#formats/shared/usage/tell-usage.ts";
import { amplify } from "./amplify.ts";
import { type AnswerSample, scannedSamples } from "./answer-samples.ts";
import type { Family, Subject } from "./measure.ts";

const usage: Usage = { ...noUsage, input: 10, output: 5 };

function wholeFamilies(words: UsageWords, whole: Json): readonly Family[] {
  return amplify(whole).map(({ name, make }) => ({
    name,
    make: (bytes) => {
      const answer = Buffer.from(JSON.stringify(make(bytes)));
      return () => tellInAnswer(answer, words, usage).length;
    },
  }));
}

function tell(words: UsageWords, text: string): () => number {
  const tail = Buffer.from(text);
  return () => tellInEvents(tail, words, { usage, model: "m", adds: true }).length;
}

const eventOf = (data: string): string => `data: ${data}\n\n`;

function eventFamilies(words: UsageWords, frames: AnswerSample["frames"]): readonly Family[] {
  const repeated = frames.map(({ data }, index) => ({
    name: `many of event ${index}`,
    make: (bytes: number) => tell(words, eventOf(data).repeat(bytes / (data.length + 8))),
  }));
  const grown = frames.flatMap(({ data }, index) =>
    // Safe cast: it is JSON.
    amplify(JSON.parse(data) as Json).map(({ name, make }) => ({
      name: `event ${index}: ${name}`,
      make: (bytes: number) => tell(words, eventOf(JSON.stringify(make(bytes)))),
    })),
  );
  return [...repeated, ...grown];
}

/** Of what events are made that nobody sends. */
const lines = [
  "\n",
  "\r",
  "\r\n",
  "\n\n",
  "data:\n",
  "data: {}\n\n",
  "data: [DONE]\n\n",
  "data: {",
  " ",
];

function lineFamilies(words: UsageWords): readonly Family[] {
  return lines.map((line) => ({
    name: `${JSON.stringify(line)} again and again`,
    make: (bytes: number) => tell(words, line.repeat(bytes / line.length)),
  }));
}

export const toldUsage: readonly Subject[] = clientFormatIds.flatMap((id) => {
  const { client }: { readonly client: ClientFormat } = formats[id];
  const words = client.usage;
  if (words === undefined) return [];
  const { frames, whole } = scannedSamples[id];
  return [
    { name: `${id}, whole`, families: wholeFamilies(words, whole) },
    {
      name: `${id}, streamed`,
      families: [...eventFamilies(words, frames), ...lineFamilies(words)],
    },
  ];
});
