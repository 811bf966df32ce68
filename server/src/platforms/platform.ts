/**
 * A platform makes pictures, songs or videos over minutes: a client submits a task, and the gateway
 * asks its upstream until the task has ended. A platform is data and functions of values: what its
 * clients call, how its upstream is asked, and what both say. Money, storage and the network are
 * `modules/tasks`, which never asks which platform it has.
 */

import type { TaskUse } from "@tollgate/contract/money/charge.ts";
import type { TaskLabel } from "@tollgate/contract/endpoints/tasks.ts";
import type { VideoWish } from "./video-wish.ts";

/** What is known of a task, in the words of all platforms. */
export type TaskState = {
  readonly status:
    | "FAILURE"
    | "IN_PROGRESS"
    | "MODAL"
    | "NOT_START"
    | "QUEUED"
    | "SUBMITTED"
    | "SUCCESS";
  /** 0 to 100. */
  readonly progress: number;
  readonly failReason: string;
  /** Address of the picture or video; empty: there is none yet. */
  readonly url: string;
  readonly promptEn: string;
  readonly description: string;
  /** Unix milliseconds; 0: not told. */
  readonly startTime: number;
  readonly finishTime: number;
  /** Fields of the upstream's answer that clients get, without ids of the upstream. */
  readonly data: Readonly<Record<string, unknown>>;
};

/** A stored task, as far as platforms read it. */
export type StoredTask = {
  readonly id: string;
  readonly platform: string;
  readonly action: string;
  readonly model: string;
  readonly upstreamId: string;
  readonly status: string;
  readonly code: number;
  readonly progress: number;
  readonly prompt: string;
  readonly promptEn: string;
  readonly description: string;
  readonly state: string;
  readonly failReason: string;
  readonly url: string;
  readonly data: Readonly<Record<string, unknown>>;
  readonly submitTime: number;
  readonly startTime: number;
  readonly finishTime: number;
};

/** A task as a question about it needs it. */
type PolledTask = Pick<StoredTask, "action" | "model" | "upstreamId">;

/** Our id of a part of a task's result, counted from 0. */
export function partName(id: string, part: number): string {
  return `${id}-${part + 1}`;
}

/** Reads such an id. The id of a task alone stands for the first part. */
export function readPartName(name: string): { readonly id: string; readonly part: number } {
  const [, id = name, number = "1"] = /^(T[0-9A-Za-z]{32})-(\d{1,2})$/.exec(name) ?? [];
  return { id, part: Math.max(0, Number(number) - 1) };
}

/** A request as the platform reads it. */
export type TaskRequest = {
  /** The decoded segments of the path that the route's wildcards stand for. */
  readonly segments: readonly string[];
  /** The mode in the path, such as `fast`; empty: none. */
  readonly mode: string;
  readonly query: URLSearchParams;
  /** The body's object; empty for requests without a body. */
  readonly body: Readonly<Record<string, unknown>>;
  readonly options: PlatformOptions;
};

/** Options of the operator that platforms read. */
export type PlatformOptions = {
  readonly accountFilter: boolean;
  readonly notify: boolean;
  readonly modeClear: boolean;
  readonly actionCheckSuccess: boolean;
};

/** A request that is refused before anything is sent. The message names what to change. */
export type Refused = {
  readonly kind: "refused";
  readonly status: number;
  readonly message: string;
};

/** A task that a client wants, before its channel is known. */
export type Submission = {
  readonly kind: "submit";
  /** The names under which channels may offer the model that decides channels and price. */
  readonly models: readonly string[];
  readonly action: string;
  readonly prompt: string;
  readonly state: string;
  readonly use: TaskUse;
  /** The gateway's id of the task that this one continues: its channel is used. Empty: none. */
  readonly follows: string;
  /** Whether that task must have ended with success. */
  readonly needsSuccess: boolean;
  /** Which part of its result this one continues, from 0; absent: it names none. */
  readonly part?: number;
  /** Reads from that task what this one has of it. */
  readonly inherit?: (followed: StoredTask) => Refused | Submission;
  readonly notifyHook: string;
  /** What the upstream is sent, without ids of tasks. */
  readonly body: Readonly<Record<string, unknown>>;
  /** The path below the channel's address. */
  readonly path: string;
};

/** What a request asks for. */
export type TaskAsk =
  | Refused
  | Submission
  /** A video of whichever platform offers its model. */
  | { readonly kind: "video"; readonly wish: VideoWish }
  /** One own task, or several. `data` in the answer follows `ids`; unknown ids are left out. */
  | { readonly kind: "fetch"; readonly id: string }
  | { readonly kind: "fetch-many"; readonly ids: readonly string[] }
  /** The own tasks, newest first unless the oldest are wanted; `after`: those after this one. */
  | {
      readonly kind: "list";
      readonly limit: number;
      readonly after: string;
      readonly oldestFirst: boolean;
    }
  /** A request about an own task that the upstream answers: its path with the upstream's id. */
  | {
      readonly kind: "forward";
      readonly id: string;
      readonly method: "DELETE" | "GET";
      readonly path: (upstreamId: string) => string;
      readonly answer: (task: StoredTask, answer: unknown) => object;
      /** Whether the upstream has no result any more once it has answered. */
      readonly endsResult?: true;
    }
  /** The bytes of a task's picture or video, or of the address in its data with this number. */
  | {
      readonly kind: "content";
      readonly id: string;
      readonly address?: number;
      /** What of the result is wanted, as the platform names it. */
      readonly variant?: string;
    }
  /** The upstream tells of a task. `state` null: the body is none of the platform's. */
  | { readonly kind: "notify"; readonly upstreamId: string; readonly state: TaskState | null };

export type TaskRoute = {
  readonly method: "DELETE" | "GET" | "POST";
  /** `*` stands for one segment of the path. */
  readonly path: string;
  /** Whether the request needs no key: pictures, and what upstreams tell. */
  readonly open?: true;
  /** Whether the body may be a form; its files are data URLs among the fields. */
  readonly takesForm?: true;
  /** Whether it is about the tasks of all platforms. */
  readonly anyPlatform?: true;
  readonly read: (request: TaskRequest) => TaskAsk;
};

/** A request to an upstream, below the channel's address. */
export type UpstreamAsk = {
  readonly method: "DELETE" | "GET" | "POST";
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>> | null;
};

/** What an upstream's answer to a submission says. */
export type Submitted =
  /** `upstreamId` names the task. `state` null: nothing is known of it yet. */
  | {
      readonly kind: "accepted";
      readonly upstreamId: string;
      readonly code: number;
      readonly description: string;
      readonly properties: Readonly<Record<string, unknown>>;
      readonly state: TaskState | null;
    }
  | {
      readonly kind: "rejected";
      readonly code: number;
      readonly description: string;
      /** Whether the channel cannot serve any task at the moment. */
      readonly disables: boolean;
    };

/** A submission with everything that its request needs. */
type Sending = {
  readonly submission: Submission;
  /** The model name that the channel's upstream knows. */
  readonly upstreamModel: string;
  /** The upstream's id of the task that it continues, and of the part of its result; empty: none. */
  readonly followsUpstream: string;
  readonly followsPart: string;
  /** Where the upstream may tell of the task; empty: nowhere. */
  readonly notifyUrl: string;
};

/** A type of channels, as the form of a channel offers it. */
type ChannelType = {
  /** The key of the provider in `providers/registry.ts`. */
  readonly id: string;
  readonly type: number;
  readonly label: string;
  /** The address of channels that set none; null: every channel has to set one. */
  readonly baseUrl: string | null;
  /** Hint beside the key; absent: it is an API key. */
  readonly keyForm?: string;
};

/** The relay's codes for quota that is not enough, for which some platforms' clients know a word. */
export const quotaCodes: readonly string[] = [
  "insufficient_user_quota",
  "pre_consume_token_quota_failed",
];

export type Platform = {
  readonly id: string;
  readonly name: string;
  /** The numbers of the channel types that serve it. */
  readonly types: readonly number[];
  /** The channel types that only it has; it may use others as well. */
  readonly channelTypes: readonly ChannelType[];
  /** The models that the form of a new channel suggests. */
  readonly models: readonly string[];
  /** The actions that it offers, as the console's texts name them. */
  readonly labels: readonly TaskLabel[];
  /** The document from which the fields were taken, and which of them are assumed. */
  readonly source: string;
  readonly routes: readonly TaskRoute[];
  /** Reads a generic request for a video; absent: the platform makes none. */
  readonly readVideo?: (wish: VideoWish) => Submission | Refused;
  /** How long a task may take, in minutes, unless root sets another time. */
  readonly deadline: "drawing" | "task";
  /** Whether its upstreams tell of changes at an address that a submission names. */
  readonly notifies?: true;
  headers(key: string, nowSeconds: number): Readonly<Record<string, string>>;
  submitRequest(sending: Sending): UpstreamAsk;
  /** Reads a complete answer to a submission. Undefined: it is none of the platform's. */
  readSubmitted(status: number, answer: unknown, action: string): Submitted | undefined;
  /** How many tasks one question can be about. */
  readonly pollMax: number;
  pollRequest(tasks: readonly PolledTask[]): UpstreamAsk;
  /** Reads what an upstream says of the tasks, by its ids. Undefined: it is no such answer. */
  readPolled(
    answer: unknown,
    tasks: readonly PolledTask[],
  ): ReadonlyMap<string, TaskState> | undefined;
  /**
   * Whether a task of this action has a result with an address. One that an upstream calls done
   * without it has failed, and costs nothing.
   */
  brings(action: string): boolean;
  /** Where the bytes of a result are fetched; absent: at the result's own address. */
  contentRequest?(task: StoredTask, variant: string): UpstreamAsk;
  /** The upstream's ids of the parts of a result, in their order; absent: parts have none. */
  partIds?(data: StoredTask["data"]): readonly string[];
  /** What a client is told of an accepted submission. */
  answerSubmitted(task: StoredTask, submitted: Submitted & { readonly kind: "accepted" }): object;
  /** One task as clients read it. `url` is the address that clients are given. */
  showTask(task: StoredTask, url: string): object;
  /** The path at this server of a task's picture or video; absent: results have their own addresses. */
  linkOf?(id: string): string;
  /** The answers to `fetch` and `fetch-many`; absent: the task, or the tasks, themselves. */
  wrap?(shown: object | readonly object[]): object;
  /** The answer to `list`; absent: the tasks themselves. */
  wrapList?(shown: readonly object[], hasMore: boolean): object;
  /** What is said of a task that is none of the caller's, and with which status; absent: 400. */
  readonly missing: string;
  readonly missingStatus?: number;
  /** The same of a task that a submission follows; absent: as above. */
  readonly missingFollowed?: string;
  /** What is said when the channel of a task is disabled that a submission follows; absent: a sentence. */
  readonly channelDisabled?: string;
  /** An error in the form that the platform's clients read. */
  errorBody(error: {
    readonly status: number;
    readonly code: string;
    readonly message: string;
    readonly upstreamCode: number;
  }): {
    readonly status: number;
    readonly body: object;
  };
};
