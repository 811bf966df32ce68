/** Messages between the relaying thread and a database worker. Plain values only. */

import type { RefusalCode } from "@tollgate/contract/words/refusals.ts";
import type { DatabaseAddress } from "#db/connection.ts";
import type { Written } from "#db/written.ts";

/** `apart`: only for the functions of a store that are named `apart`. */
export type WorkerMode = "apart" | "reader" | "writer";

/** The functions of a store that can be called, by the worker that runs them. */
export type FunctionNames = {
  readonly reads: readonly string[];
  /** Also `pulses` and `singles`, which the same worker runs. */
  readonly writes: readonly string[];
  readonly apart: readonly string[];
};

/** What a worker answers when it has opened the database. */
export type OpenedValue = {
  /** Warnings for the operator. */
  readonly notices: readonly string[];
  /** By noun; only the writer names them. */
  readonly functions: Readonly<Record<string, FunctionNames>>;
};

/** The first message to a worker. The worker answers it with `id` 0 and an `OpenedValue`. */
export type OpenMessage = {
  readonly type: "open";
  readonly address: DatabaseAddress;
  readonly mode: WorkerMode;
};

/** The noun of a call that runs writes of several stores in one transaction. */
export const togetherNoun = "";

export type CallMessage = {
  readonly type: "call";
  readonly id: number;
  readonly noun: string;
  readonly name: string;
  readonly input: readonly unknown[];
};

type CloseMessage = { readonly type: "close"; readonly id: number };

export type ToWorker = CallMessage | CloseMessage | OpenMessage;

export type FromWorker =
  | {
      readonly id: number;
      readonly ok: true;
      readonly value: unknown;
      /** What a committed write has left in the database; absent: nothing that is noted. */
      readonly written?: readonly Written[];
    }
  | { readonly id: number; readonly ok: false; readonly failure: Failure }
  /** Not asked for: what another node tells. */
  | { readonly id: null; readonly heard: string };

export type Failure =
  | {
      readonly kind: "refusal";
      readonly code: RefusalCode;
      readonly message: string;
      readonly field: string | undefined;
    }
  /**
   * The database could not run the call at the moment. It may be unknown whether a write was
   * committed.
   */
  | { readonly kind: "store"; readonly message: string }
  /** This version must not open the database. */
  | { readonly kind: "schema"; readonly message: string }
  | { readonly kind: "bug"; readonly message: string; readonly stack: string };
