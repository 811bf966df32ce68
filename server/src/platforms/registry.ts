import { doubao } from "./doubao.ts";
import { kling } from "./kling.ts";
import { midjourney } from "./midjourney.ts";
import { openaiVideo } from "./openai-video.ts";
import type { Platform } from "./platform.ts";
import { suno } from "./suno.ts";

/** Every platform, one line each, sorted. */
const all: readonly Platform[] = [doubao, kling, midjourney, openaiVideo, suno];

const byId: ReadonlyMap<string, Platform> = new Map(all.map((each) => [each.id, each]));

export const platforms = all;

/** The folders of the relay's paths that only tasks have: the first segments but for those of OpenAI. */
export const taskFolders: readonly string[] = [
  ...new Set(all.flatMap(({ routes }) => routes.map(({ path }) => path.split("/")[1] ?? ""))),
].filter((folder) => folder !== "v1");

/** Undefined: this version does not know the platform. */
export function findPlatform(id: string): Platform | undefined {
  return byId.get(id);
}
