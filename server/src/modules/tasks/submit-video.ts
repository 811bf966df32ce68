/**
 * Submits a video of which the client has named the model alone: the channel that is chosen for the
 * model decides which platform makes it.
 */

import type { TaskChannel } from "#platforms/desk.ts";
import type { Platform, Refused, Submission } from "#platforms/platform.ts";
import { platforms } from "#platforms/registry.ts";
import type { VideoWish } from "#platforms/video-wish.ts";
import { isUsable, type SubmitEnd, submitOn, type Submitting } from "./submit.ts";

type Reading = { readonly platform: Platform; readonly read: Refused | Submission };

export async function submitVideo(
  given: Omit<Submitting, "platform" | "submission">,
  wish: VideoWish,
): Promise<SubmitEnd> {
  const { caller } = given;
  caller.checkText(wish.prompt);
  const readings = platforms.flatMap((platform): Reading[] => {
    const read = platform.readVideo?.(wish);
    return read === undefined ? [] : [{ platform, read }];
  });
  const readingOf = (channel: TaskChannel): Reading | undefined =>
    readings.find(({ platform }) => isUsable({ platform, caller }, channel));
  const terms = caller.terms([wish.model], null);
  let refused: Refused | undefined;
  const first = terms.choose([], (channel) => {
    const read = readingOf(channel)?.read;
    if (read?.kind === "refused") refused = read;
    return read?.kind === "submit";
  });
  const reading = first === undefined ? undefined : readingOf(first);
  if (first !== undefined && reading?.read.kind === "submit") {
    const { platform, read } = reading;
    return await submitOn(
      { ...given, platform, submission: read },
      { terms, first, follows: null },
    );
  }
  if (refused === undefined) throw caller.noChannel(terms);
  return { kind: "refused", status: refused.status, code: 0, message: refused.message };
}
