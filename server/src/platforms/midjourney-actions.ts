/** The actions of Midjourney, and how follow-ups name them. */

const actions = [
  ...(["IMAGINE", "BLEND", "DESCRIBE", "SHORTEN", "VARIATION", "UPSCALE", "REROLL"] as const),
  ...(["MODAL", "ZOOM", "CUSTOM_ZOOM", "INPAINT", "PAN", "HIGH_VARIATION"] as const),
  ...(["LOW_VARIATION", "UPLOAD", "SWAP_FACE"] as const),
];

export type MidjourneyAction = (typeof actions)[number];

/** The name under which channels offer an action, and under which it is priced. */
export function modelOf(action: MidjourneyAction): string {
  return action === "SWAP_FACE" ? "swap_face" : `mj_${action.toLowerCase()}`;
}

export const drawingModels: readonly string[] = actions.map(modelOf);

/** What answers with words, or with what it was sent. */
const undrawn: readonly string[] = ["DESCRIBE", "SHORTEN", "UPLOAD"];

/** Whether an action makes a picture. */
export function isDrawn(action: string): boolean {
  return !undrawn.includes(action);
}

export function actionOf(name: string): MidjourneyAction | undefined {
  return actions.find((action) => action === name);
}

type Change = {
  readonly taskId: string;
  readonly action: MidjourneyAction;
  /** What follows the id, as upstreams read it. */
  readonly word: string;
};

/** Reads `{taskId} U1` … `V4`, `R`. Undefined: it is none of these. */
export function readChange(content: string): Change | undefined {
  const [, taskId = "", word = ""] = /^(\S+)\s+([UV][1-4]|R)$/i.exec(content) ?? [];
  if (taskId === "") return undefined;
  const letter = word.slice(0, 1).toUpperCase();
  const action = letter === "U" ? "UPSCALE" : letter === "V" ? "VARIATION" : "REROLL";
  return { taskId, action, word: word.toUpperCase() };
}

/**
 * Which action the button with this id is, by the words that stand in it. The first that fits
 * counts, so the longer names come first.
 */
const words: readonly (readonly [word: string, action: MidjourneyAction])[] = [
  ["upsample", "UPSCALE"],
  ["upscale", "UPSCALE"],
  ["low_variation", "LOW_VARIATION"],
  ["high_variation", "HIGH_VARIATION"],
  ["variation", "VARIATION"],
  ["pan", "PAN"],
  ["reroll", "REROLL"],
  ["customzoom", "CUSTOM_ZOOM"],
  ["outpaint", "ZOOM"],
  ["inpaint", "INPAINT"],
];

/** Returns the action of a button, such as `MJ::JOB::upsample::1::…`. */
export function actionOfCustomId(customId: string): MidjourneyAction | undefined {
  const [, second = "", third = ""] = customId.split("::");
  const word = (second === "JOB" ? third : second).toLowerCase();
  return words.find(([part]) => word.includes(part))?.[1];
}
