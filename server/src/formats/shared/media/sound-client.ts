import type { ClientFormat } from "#formats/format.ts";
import { readBody } from "#formats/shared/read-body.ts";
import { nothingUnseen } from "#formats/shared/unseen-input.ts";
import { mediaClient } from "./media-client.ts";

/** Reads requests for sound that the gateway has written, whose model the path names. */
export function writtenSoundClient(input: string): ClientFormat {
  return mediaClient({
    readRequest: (bytes, path) =>
      readBody(bytes, path, {
        input: "",
        inputKinds: [],
        namesModel: false,
        limits: [],
        settings: [],
        settingLimits: [],
        settingCounts: [],
        unseen: nothingUnseen,
      }),
    smallRequest: () => ({ [input]: "hi" }),
    input,
    texts: [input],
  });
}
