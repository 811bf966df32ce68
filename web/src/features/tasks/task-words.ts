/** The words and colours of tasks: states, submit codes, and what platforms offer. */

import type { TaskLabel, TaskStatus } from "@tollgate/contract/endpoints/tasks.ts";
import type { T, TextKey } from "#i18n/t.ts";
import type { Tone } from "#ui/tone.ts";

type Look = { readonly text: TextKey; readonly tone: Tone };

const looks: Readonly<Record<TaskStatus, Look>> = {
  "": { text: "tasks.submitting", tone: "neutral" },
  NOT_START: { text: "tasks.notStarted", tone: "neutral" },
  SUBMITTED: { text: "tasks.submitted", tone: "warning" },
  QUEUED: { text: "tasks.queuing", tone: "warning" },
  IN_PROGRESS: { text: "tasks.processing", tone: "info" },
  MODAL: { text: "tasks.modal", tone: "warning" },
  SUCCESS: { text: "tasks.succeeded", tone: "success" },
  FAILURE: { text: "tasks.failed", tone: "danger" },
  UNKNOWN: { text: "tasks.unknown", tone: "neutral" },
};

export function lookOf(status: TaskStatus): Look {
  return looks[status];
}

export function statusItems(t: T) {
  const all = { value: "", label: t("tasks.anyStatus") };
  const named = Object.entries(looks).filter(([status]) => status !== "");
  return [all, ...named.map(([value, { text }]) => ({ value, label: t(text) }))];
}

/** What an upstream said to a submission: the code's text. */
export function codeLook(code: number): Look {
  if (code === 1) return { text: "tasks.codeSubmitted", tone: "success" };
  if (code === 21) return { text: "tasks.codeWaiting", tone: "warning" };
  if (code === 22) return { text: "tasks.codeDuplicate", tone: "warning" };
  return { text: "tasks.codeNotSubmitted", tone: "danger" };
}

const labels: Readonly<Record<TaskLabel, TextKey>> = {
  music: "tasks.music",
  lyrics: "tasks.lyrics",
  splice: "tasks.splice",
  upload: "tasks.upload",
  video: "tasks.video",
  extend: "tasks.extend",
  watermark: "tasks.watermark",
  image: "tasks.image",
  kling: "tasks.kling",
};

export function labelText(label: TaskLabel): TextKey {
  return labels[label];
}

/** The actions of the platforms that have no list of their own. */
const taskActions: Readonly<Record<string, TextKey>> = {
  MUSIC: "tasks.music",
  LYRICS: "tasks.lyrics",
  VIDEO: "tasks.video",
  IMAGE_VIDEO: "tasks.imageVideo",
  EXTEND: "tasks.extend",
  LIP_SYNC: "tasks.lipSync",
  MULTI_IMAGE_VIDEO: "tasks.multiImageVideo",
  OMNI_VIDEO: "tasks.omniVideo",
  IMAGE: "tasks.image",
};

const actions: Readonly<Record<string, TextKey>> = {
  ...taskActions,
  UPLOAD: "tasks.upload",
  IMAGINE: "tasks.imagine",
  BLEND: "tasks.blend",
  DESCRIBE: "tasks.describe",
  SHORTEN: "tasks.shorten",
  VARIATION: "tasks.variation",
  HIGH_VARIATION: "tasks.highVariation",
  LOW_VARIATION: "tasks.lowVariation",
  UPSCALE: "tasks.upscale",
  REROLL: "tasks.reroll",
  ZOOM: "tasks.zoom",
  CUSTOM_ZOOM: "tasks.customZoom",
  INPAINT: "tasks.inpaint",
  PAN: "tasks.pan",
  MODAL: "tasks.modalAction",
  SWAP_FACE: "tasks.swapFace",
};

export function actionItems(t: T) {
  const all = { value: "", label: t("tasks.anyAction") };
  return [all, ...Object.entries(taskActions).map(([value, text]) => ({ value, label: t(text) }))];
}

export function actionText(action: string, t: T): string {
  const key = actions[action];
  return key === undefined ? action : t(key);
}
