/** What requests about tasks are answered with, and how a submission begins and ends. */

import type { RateLimits } from "#base/rate-limit.ts";
import type { Transport } from "#network/transport.ts";
import type { DeskCall, TaskCaller, TaskChannel } from "#ports/task-desk.ts";
import type { Platform, PlatformOptions, Submission, Submitted } from "#platforms/platform.ts";
import type { TaskStore, ToldResult } from "./tasks.store.ts";
import type { TaskRow } from "./tasks.ts";

export type DeskDeps = {
  readonly store: TaskStore;
  readonly transport: Transport;
  readonly limits: RateLimits;
  readonly findChannel: (id: number) => TaskChannel | undefined;
  readonly disableChannel: (id: number, reason: string) => void;
  readonly newTaskId: () => string;
  /** A keyed hash of a channel's key. */
  readonly keyRef: (key: string) => string;
  /** Makes the signature by which a channel's upstream proves that a callback is its own. */
  readonly notifySign: (channelId: number, key: string) => string;
  readonly notifyUrl: (channel: TaskChannel, key: string) => string;
  readonly deadlineMs: (kind: Platform["deadline"]) => number;
  /** The largest result that is passed on. */
  readonly resultBytesMax: (kind: Platform["deadline"]) => number;
  readonly platformOptions: () => PlatformOptions;
  /** Whether addresses of pictures lead through this server. */
  readonly forwardsPictures: () => boolean;
  readonly serverAddress: () => string;
  /** Passes on what became of something that an upstream has told. */
  readonly told: (result: ToldResult, row?: Pick<TaskRow, "notify_hook" | "task_id">) => void;
  /** Unix milliseconds. */
  readonly now: () => number;
  readonly elapsed: () => number;
  readonly random: () => number;
  readonly wait: (ms: number) => Promise<void>;
};

export type Accepted = Submitted & { readonly kind: "accepted" };

/** How a submission ended. */
export type SubmitEnd =
  | { readonly kind: "accepted"; readonly row: TaskRow; readonly submitted: Accepted }
  | {
      readonly kind: "refused";
      readonly status: number;
      readonly code: number;
      readonly message: string;
    };

export type Submitting = {
  readonly deps: DeskDeps;
  readonly platform: Platform;
  readonly submission: Submission;
  readonly call: DeskCall;
  readonly caller: TaskCaller;
  /** The field that names what only channels may get whose ids are shared; empty: none. */
  readonly named: string;
};
