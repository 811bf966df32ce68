import * as contract from "@tollgate/contract/endpoints/logs.ts";
import { role } from "@tollgate/contract/endpoints/users.ts";
import type { RemoteStore } from "#db/store.ts";
import { type Handler, handle } from "#http/handler.ts";
import { actorOf } from "#modules/audit/audit.ts";
import type { Options } from "#modules/options/options.ts";
import type { Transcripts } from "#modules/transcripts/transcripts.ts";
import type { logStore } from "./logs.store.ts";

type TextDeps = {
  readonly store: RemoteStore<typeof logStore>;
  readonly transcripts: Transcripts;
  readonly readOption: Options["read"];
  /** Unix milliseconds. */
  readonly now: () => number;
};

/** Handles the requests of the console API for the texts of calls. */
export function textHandlers({ store, transcripts, readOption, now }: TextDeps): Handler[] {
  return [
    handle(contract.readTextRules, async (_, caller) => ({
      enabled: readOption("LogContentEnabled"),
      days: transcripts.days(),
      bytes_max: readOption("LogContentMaxBytes"),
      dropped: caller.role === role.enum.root ? transcripts.dropped() : null,
    })),

    handle(contract.readTexts, async ({ id }, caller) => {
      const row = await store.findLog(id);
      const found =
        row === null || row.request_id === ""
          ? null
          : await transcripts.read(row.request_id, row.created_at);
      if (row === null || found === null) return noTexts;
      // Noted before it is shown, so that no reading is left out.
      await store.noteReading({ ...row, actor: actorOf(caller), nowMs: now() });
      return {
        prompt: found.prompt,
        completion: found.completion,
        stored: true,
        prompt_bytes: found.promptBytes,
        completion_bytes: found.completionBytes,
      };
    }),

    handle(contract.removeTexts, async (_, caller) => {
      const removed = await transcripts.removeAll();
      await store.noteTextRemoval({ removed, actor: actorOf(caller), nowMs: now() });
      return removed;
    }),
  ];
}

const noTexts = {
  prompt: "",
  completion: "",
  stored: false,
  prompt_bytes: 0,
  completion_bytes: 0,
} satisfies contract.CallTexts;
