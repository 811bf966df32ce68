import { expect, test } from "bun:test";
import { readRequest } from "./read-request.ts";

function read(messages: string) {
  const text = `{"model":"m","messages":${messages}}`;
  const body = readRequest(new TextEncoder().encode(text), { modality: "chat", model: null });
  if ("code" in body) throw new Error(body.message);
  return { ...body, length: text.length };
}

const data = `data:image/png;base64,${"A".repeat(900_000)}`;
const photo = `{"type":"image_url","image_url":{"url":"${data}"}}`;

// If an image were counted by its bytes, half a million tokens would be held for a photo, and most
// users would be refused.
test("an image counts as one part, whatever its length", () => {
  const body = read(`[{"role":"user","content":[{"type":"text","text":"what is it?"},${photo}]}]`);

  expect(body.mediaParts).toBe(1);
  expect(body.textBytes).toBe(body.length - photo.length);
});

test("audio and files count by their length", () => {
  const sound = `{ "input_audio":{"data":"${"A".repeat(600_000)}"}, "type" : "input_audio"}`;
  const file = '{"type":"file","file":{"file_id":"f"}}';
  const body = read(`[{"content":[${sound}]},{"content":"x"},{"content":[${file}]}]`);

  expect(body.mediaParts).toBe(3 + 1);
  expect(body.textBytes).toBe(body.length - sound.length - file.length);
});

// If anything but a media part counted as media, text in it would reach the model although no quota
// is held for it.
test("only media in a message's parts is excluded from its text", () => {
  const data = `"data:image/png;base64,${"A".repeat(10_000)}"`;
  const texts = [
    `[{"role":"user","content":${data}}]`,
    `[{"role":"user","content":[{"type":"text","text":${data}}]}]`,
    `[{"role":"user","content":[{"type":"image_url","type":"text","text":${data}}]}]`,
    `[{"role":"user","content":[{"type":"input_text","text":${data}}]}]`,
    `[{"role":"user","content":[{"image_url":{"url":${data}}}]}]`,
    `[{"role":"tool","x":[{"type":"image_url","image_url":{"url":${data}}}]}]`,
    `[{"role":"user","content":[[{"type":"image_url","image_url":${data}}]]}]`,
    `[[{"type":"image_url","image_url":${data}}], {"content":"${data.replaceAll('"', '\\"')}"}]`,
  ];
  for (const messages of texts) {
    const { mediaParts, textBytes, length } = read(messages);
    expect({ mediaParts, textBytes }, messages.slice(0, 60)).toEqual({
      mediaParts: 0,
      textBytes: length,
    });
  }
});
