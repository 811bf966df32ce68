/**
 * Submits a video of which the client has named the model alone: the channel that is chosen for the
 * model decides which platform makes it.
 */

import type { TaskChannel } from "#ports/task-desk.ts";
import type { Platform, Refused, Submission } from "#platforms/platform.ts";
import { platforms } from "#platforms/registry.ts";
import type { VideoWish } from "#platforms/video-wish.ts";
import type { SubmitEnd, Submitting } from "./desk-work.ts";
import { isUsable, submitOn } from "./submit.ts";

type Reading = {
  readonly platform: Platform;
  readonly read: Refused | Submission;
  /** What the submission names that only some channels may get; empty: nothing. */
  readonly named: string;
};

export async function submitVideo(
  given: Omit<Submitting, "named" | "platform" | "submission">,
  wish: VideoWish,
): Promise<SubmitEnd> {
  const { caller } = given;
  caller.checkText(wish.prompt);
  const readings = platforms.flatMap((platform): Reading[] => {
    const read = platform.readVideo?.(wish);
    if (read === undefined) return [];
    const named = read.kind === "submit" ? caller.namesIn(read.body, "") : "";
    return [{ platform, read, named }];
  });
  const readingOf = (channel: TaskChannel): Reading | undefined =>
    readings.find(({ platform }) => isUsable({ platform, caller }, channel));
  const terms = caller.terms([wish.model], null);
  let refused: Refused | undefined;
  let named = "";
  const trip = terms.choose((channel) => {
    const reading = readingOf(channel);
    if (reading?.read.kind === "refused") refused = reading.read;
    if (reading?.read.kind !== "submit") return false;
    if (!channel.sharesIds) named ||= reading.named;
    return channel.sharesIds || reading.named === "";
  });
  const reading = trip === undefined ? undefined : readingOf(trip.first);
  if (trip !== undefined && reading?.read.kind === "submit") {
    const { platform, read, ...rest } = reading;
    return await submitOn(
      { ...given, ...rest, platform, submission: read },
      { terms, trip, follows: null },
    );
  }
  if (named !== "") throw caller.notGiven(named);
  if (refused === undefined) throw caller.noChannel(terms);
  return { kind: "refused", status: refused.status, code: 0, message: refused.message };
}
