/** The way of calls whose bytes pass: client and upstream speak one format. */

import type { UpstreamFormat } from "#formats/format.ts";
import { formats } from "#formats/registry.ts";
import { hasWrapped } from "#formats/shared/opaque-text.ts";
import { prepareWay } from "./prepare.ts";
import { readAsItIs } from "./read-as-it-is.ts";
import { rewriteRequest, writePlain } from "./request.ts";
import type { Way, WayFacts } from "./way.ts";
import { findTranslation, writeTranslated } from "./write-translated.ts";

export function passedOnWay(facts: WayFacts): Way {
  const format: UpstreamFormat = formats[facts.formatId].upstream;
  const { client } = formats[facts.formatId];
  const { accepts } = format;
  const prepared = prepareWay(facts, { format, accepts, asksStream: facts.isStream });
  return {
    ...prepared,
    requests: client,
    isLastMessage: undefined,
    reading: readAsItIs(prepared),
    write(call, received, hashOf) {
      const { body, bytes } = received;
      // The conversation began at another provider: this one would refuse what that one signed.
      const isForeign = body.modality === "chat" && hasWrapped(bytes);
      const translation = isForeign ? findTranslation(facts) : undefined;
      return translation === undefined
        ? rewriteRequest(facts, received, client)
        : writeTranslated(prepared, { ...translation, isRewritten: false }, call, received, hashOf);
    },
    writeQuestion: (received) => writePlain(facts, received),
    // A client that has sent the field itself is told that it was refused.
    withoutUsage: (body) =>
      facts.asksForUsage && !body.wantsUsage
        ? passedOnWay({ ...facts, asksForUsage: false })
        : undefined,
  };
}
