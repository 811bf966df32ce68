import { expect, test } from "bun:test";
import { readUsage } from "./read-usage.ts";

test("cached sound and pictures are charged as cached, not once more as sound and pictures", () => {
  const read = readUsage({
    promptTokenCount: 3297,
    cachedContentTokenCount: 2918,
    promptTokensDetails: [
      { modality: "TEXT", tokenCount: 83 },
      { modality: "IMAGE", tokenCount: 2893 },
      { modality: "AUDIO", tokenCount: 321 },
    ],
    cacheTokensDetails: [
      { modality: "AUDIO", tokenCount: 284 },
      { modality: "TEXT", tokenCount: 73 },
      { modality: "IMAGE", tokenCount: 2561 },
    ],
    candidatesTokenCount: 55,
    thoughtsTokenCount: 95,
    totalTokenCount: 3447,
  });

  expect(read.kind === "ok" && read.usage).toMatchObject({
    cacheRead: 2918,
    inputAudio: 37,
    inputImage: 332,
    input: 10,
  });
});
