import { kling } from "./kling.ts";
import { midjourney } from "./midjourney.ts";
import { openaiVideo } from "./openai-video.ts";
import type { Platform } from "./platform.ts";
import { suno } from "./suno.ts";

/** Every platform, one line each, sorted. */
const all: readonly Platform[] = [kling, midjourney, openaiVideo, suno];

const byId: ReadonlyMap<string, Platform> = new Map(all.map((each) => [each.id, each]));

export const platforms = all;

/** Undefined: this version does not know the platform. */
export function findPlatform(id: string): Platform | undefined {
  return byId.get(id);
}
