import { expect, test } from "bun:test";
import { liveOf } from "./live.ts";

const bytesOf = (message: object): Buffer => Buffer.from(JSON.stringify(message));

test("a session's model cannot be changed by another first message, however its key is written", () => {
  const reader = liveOf("google").openReader();
  for (const key of ["setup", "Setup", "SETUP"]) {
    const read = reader.readClient(bytesOf({ [key]: { model: "models/dear" } }), true);
    expect(read).toMatchObject({ kind: "refused", ends: true });
  }
  const escaped = Buffer.from('{"\\u0073etup":{"model":"models/dear"}}');
  expect(reader.readClient(escaped, true)).toMatchObject({ kind: "refused", ends: true });
});

test("counts get the client's names where the upstream calls them otherwise", () => {
  const usageMetadata = { promptTokenCount: 3, candidatesTokenCount: 2, totalTokenCount: 5 };
  const message = bytesOf({ serverContent: { turnComplete: true }, usageMetadata });
  const told = liveOf("google").openReader().readUpstream(message, true).renamed;

  expect(JSON.parse(String(told)).usageMetadata).toEqual({
    promptTokenCount: 3,
    responseTokenCount: 2,
    totalTokenCount: 5,
  });
  expect(liveOf("vertex").openReader().readUpstream(message, true).renamed).toBeUndefined();
});
