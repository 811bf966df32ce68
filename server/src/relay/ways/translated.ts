/** The way of calls that are translated: client and upstream speak different formats of chat. */

import type { UpstreamFormat } from "#formats/format.ts";
import { formats } from "#formats/registry.ts";
import { prepareWay } from "./prepare.ts";
import { readAsItIs } from "./read-as-it-is.ts";
import { rewriteRequest } from "./request.ts";
import { usageField, type Way, type WayFacts, type WayKind } from "./way.ts";
import { findTranslation, type TranslatedFormats, writeTranslated } from "./write-translated.ts";

export const translatedWay: WayKind = (facts) => {
  const { channel, formatId, modality, upstreamId } = facts;
  const isCompletion = formatId === "openai-chat" && modality === "chat";
  const isWrittenAnew = isCompletion && (channel.forcesFormat || channel.thinksInText);
  if (upstreamId === formatId && !isWrittenAnew) return undefined;
  const translation = findTranslation(facts);
  return translation === undefined ? undefined : openTranslated(facts, translation);
};

function openTranslated(facts: WayFacts, translation: TranslatedFormats): Way {
  const format: UpstreamFormat = formats[facts.formatId].upstream;
  const { upstream } = translation;
  const { accepts, isLastMessage, requests } = upstream;
  const asksStream = facts.isStream || upstream.streamsOnly === true;
  const prepared = prepareWay(facts, { format, accepts, asksStream });
  // Where both sides speak one format, the request stays, and only the answer is written anew.
  const isRewritten = prepared.speaksFormat;
  return {
    ...prepared,
    requests,
    isLastMessage,
    reading: readAsItIs(prepared),
    write(call, received, hashOf) {
      // A rewritten answer has one choice, so a call for several gets them as the upstream wrote them.
      if (isRewritten && received.body.answerCount > 1) {
        return rewriteRequest(facts, received, requests);
      }
      return writeTranslated(prepared, { ...translation, isRewritten }, call, received, hashOf);
    },
    writeQuestion: () => null,
    withoutUsage: () =>
      facts.asksForUsage
        ? openTranslated(
            { ...facts, asksForUsage: false },
            withRefusedField(translation, usageField),
          )
        : undefined,
  };
}

function withRefusedField(translation: TranslatedFormats, field: string): TranslatedFormats {
  const { quirks } = translation;
  const refusedFields = [...(quirks.refusedFields ?? []), field];
  return { ...translation, quirks: { ...quirks, refusedFields } };
}
