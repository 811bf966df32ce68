/** Finds what the request for a task names that its upstream keeps, besides own tasks. */

import { namedRules, readNamed } from "#formats/shared/named/named-ids.ts";
import { says, textsUnder } from "#formats/shared/named/walk-objects.ts";
import { readPartName } from "#platforms/platform.ts";

/** Names of tasks, of their results, and of what users have made or uploaded, on all platforms. */
const keys = [
  "artist_clip_id",
  "asset_id",
  "audio_id",
  "character_id",
  "character_ids",
  "characters",
  "clip_id",
  "continue_clip_id",
  "cover_clip_id",
  "draft_task",
  "element_id",
  "element_ids",
  "image_id",
  "origin_task_id",
  "parent_task_id",
  "parent_video_id",
  "persona_id",
  "remix_id",
  "remix_target_id",
  "remix_video_id",
  "source_task_id",
  "task_id",
  "upload_id",
  "video_id",
] as const;

/**
 * @param follows our id of the task that this one goes on with, whose owner is the caller; empty:
 *   none. Its parts are named by it as well.
 * @returns the field with the name; empty: there is none.
 */
export function namedInTask(body: object, follows: string): string {
  const isOwn = (text: string): boolean =>
    follows !== "" && (text === follows || readPartName(text).id === follows);
  const rules = namedRules({
    keys,
    toolData: [],
    read(object, found) {
      found.foreign ||=
        keys.find((key) => {
          const texts = textsUnder(object, key);
          return says(object, key) && !(texts.length > 0 && texts.every(isOwn));
        }) ?? "";
    },
  });
  return readNamed(new TextEncoder().encode(JSON.stringify(body)), rules).foreign;
}
