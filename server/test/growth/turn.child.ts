/**
 * The child of `turn.test.ts`: translates the largest body of each family that is taken, and the
 * longest answer of each family that the relaying thread parses, between the formats of a pair, and
 * prints a line for each.
 */

import { writeSync } from "node:fs";
import type { Json } from "#base/json.ts";
import { formats } from "#formats/registry.ts";
import { type TranslatedFormatId, translations } from "#formats/translation-registry.ts";
import { parsedHereMax } from "#relay/ways/apart.ts";
import { type TranslatedClientId, translatedClientIds } from "#test/recordings/played.ts";
import { amplify } from "./amplify.ts";
import { answerSamples } from "./answer-samples.ts";
import { conversations } from "./conversations.ts";
import { judgeMachine, slowness } from "./slowness.ts";
import { isTooLong } from "./turn-limits.ts";
import { workOn } from "./translators.ts";
import { bytesOf, send, upstreamsFor } from "./whole-answers.ts";
import { writers } from "./writers.ts";

export type Turn = {
  readonly pair: string;
  readonly family: string;
  /** Milliseconds of processor time, as the machine would take on which the limit was set. */
  readonly ms: number;
  /** The same for a conversation in plain words of the same size. */
  readonly plainMs: number;
  readonly bytes: number;
};

/** What `RelayBodyMegabytesMax` is by default, in bytes. */
const bodyBytesMax = 10 * 1024 * 1024;

/** Twice as many bytes are asked of a family, until a body is refused or too large. */
const firstBytes = 64 * 1024;

/** How often the step between a body that is taken and one that is not is halved. */
const halvings = 4;

/** What costs too much is measured so often at the most, and the least cost counts. */
const timesMeasured = 7;

/** A plain body is over so soon that it is always measured so often; the least counts here, too. */
const plainTimes = 3;

const isLong = process.argv[2] === "long";

/** Other runs translate each family from one format of clients to every sixth of upstreams. */
const everyOther = 6;

/** They judge every third family of the answers of a pair. */
const everyThird = 3;

type Make = (typeof conversations)[string];

/** Returns how many bytes the largest body that is taken may be asked for with. */
function largestOf(client: TranslatedClientId, make: Make): number {
  const isTaken = (bytes: number): boolean => {
    const body = Buffer.from(JSON.stringify(writers[client](make(bytes))));
    const path = { modality: "chat", model: "m", stream: false } as const;
    return (
      body.length <= bodyBytesMax && !("message" in formats[client].client.readRequest(body, path))
    );
  };
  let taken = firstBytes;
  // The bodies of some families stop growing.
  while (taken <= bodyBytesMax && isTaken(taken * 2)) taken *= 2;
  let step = taken;
  for (let count = 0; count < halvings; count += 1) {
    step /= 2;
    if (isTaken(taken + step)) taken += step;
  }
  return taken;
}

/** Returns the processor time of one run, in milliseconds of an ordinary machine. */
function costOf(work: () => unknown): number {
  // What others have left is not counted here.
  Bun.gc(true);
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000 / slowness();
}

/** Returns the least cost of both. Only what is too much is measured again: noise makes it worse. */
function compare(work: () => number, plainWork: () => number) {
  if (plainWork() === 0) throw new Error("the plain conversation is refused");
  let plainMs = Math.min(...Array.from({ length: plainTimes }, () => costOf(plainWork)));
  let ms = costOf(work);
  for (let count = 1; count < timesMeasured && isTooLong({ ms, plainMs }); count += 1) {
    judgeMachine();
    plainMs = Math.min(plainMs, costOf(plainWork));
    ms = Math.min(ms, costOf(work));
  }
  return { ms, plainMs };
}

/** How long a text of the plain conversation is, so that the largest body has few enough of them. */
const plainTextBytes = 4 * 1024;

/** Words of both sides. */
const plain: Make = (bytes) => ({
  turns: Array.from({ length: Math.ceil(bytes / plainTextBytes) }, (_, index) => ({
    kind: index % 2 === 0 ? ("user" as const) : ("model" as const),
    texts: ["some words that people write ".repeat(plainTextBytes / 29)],
  })),
});

/** Returns the pairs of a family that are judged, by the format of clients. */
function upstreamsOf(client: TranslatedClientId, index: number): readonly TranslatedFormatId[] {
  // Safe cast: these are the keys of the table.
  const all = (Object.keys(translations) as TranslatedFormatId[]).filter((id) => id !== client);
  const isOthers = translatedClientIds[index % translatedClientIds.length] !== client;
  if (isLong) return all;
  return isOthers ? [] : all.filter((_, at) => (at + index) % everyOther === 0);
}

for (const client of translatedClientIds) {
  for (const [index, [family, make]] of Object.entries(conversations).entries()) {
    const upstreams = upstreamsOf(client, index);
    if (upstreams.length === 0) continue;
    const asked = largestOf(client, make);
    const { length } = JSON.stringify(writers[client](make(asked)));
    for (const upstream of upstreams) {
      workOn(client, upstream, make(firstBytes))();
      const costs = compare(
        workOn(client, upstream, make(asked)),
        workOn(client, upstream, plain(length)),
      );
      const turn: Turn = { pair: `${client} to ${upstream}`, family, ...costs, bytes: length };
      writeSync(1, `${JSON.stringify(turn)}\n`);
    }
  }
}

for (const client of translatedClientIds) {
  for (const upstream of upstreamsFor(client)) {
    const call = send(client, upstream);
    const [texts, ...others] = amplify(answerSamples[upstream].whole);
    if (texts === undefined) throw new Error("no family of answers");
    const workOnAnswer = (make: (bytes: number) => Json) => {
      const answer = bytesOf(make(parsedHereMax));
      return () => call.readHere(answer).kind.length;
    };
    const plainWork = workOnAnswer(texts.make);
    plainWork();
    for (const [index, { name, make }] of others.entries()) {
      if (!isLong && index % everyThird !== upstream.length % everyThird) continue;
      const costs = compare(workOnAnswer(make), plainWork);
      const pair = `${upstream} to ${client}`;
      const turn: Turn = { pair, family: `an answer: ${name}`, ...costs, bytes: parsedHereMax };
      writeSync(1, `${JSON.stringify(turn)}\n`);
    }
  }
}
process.exit(0);
