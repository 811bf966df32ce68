import { expect, test } from "bun:test";
import { doubao } from "./doubao.ts";

const create = doubao.routes.find(({ method }) => method === "POST");

function submit(body: Record<string, unknown>) {
  return create?.read({
    segments: [],
    mode: "",
    query: new URLSearchParams(),
    body,
    options: { accountFilter: false, notify: false, modeClear: false, actionCheckSuccess: true },
  });
}

const text = (words: string) => [{ type: "text", text: words }];

test("length and size are what is charged, wherever the request names them, and are sent", () => {
  expect(submit({ content: text("a cat") })).toMatchObject({
    kind: "submit",
    models: ["doubao-seedance-1-0-pro"],
    action: "VIDEO",
    prompt: "a cat",
    use: { seconds: 5, count: 1, size: "720p" },
    body: { content: text("a cat --resolution 720p --duration 5") },
  });
  expect(submit({ content: text("a cat --dur 10 --rs 1080P --seed 7") })).toMatchObject({
    use: { seconds: 10, size: "1080p" },
    body: { content: text("a cat --seed 7 --resolution 1080p --duration 10") },
  });
  const picture = { type: "image_url", image_url: { url: "https://x.example/1.png" } };
  const fields = { duration: 3, resolution: "480p", seed: 7, callback_url: "https://x.example" };
  const both = submit({ ...fields, content: [...text("--duration 12"), picture] });
  expect(both).toMatchObject({
    action: "IMAGE_VIDEO",
    use: { seconds: 3, size: "480p" },
    body: { seed: 7, content: [...text("--resolution 480p --duration 3"), picture] },
  });
  expect(Object.keys(Object(both).body)).toEqual(["seed", "content", "model"]);
});

test("a length that would not be charged is refused", () => {
  for (const body of [
    {},
    { content: text("a cat --dur 60") },
    { content: text("a cat"), duration: -1 },
    { content: text("a cat"), resolution: "4k" },
    { content: text("a cat --frames 289") },
    { content: text("a cat"), frames: 289 },
  ]) {
    expect(submit(body), JSON.stringify(body)).toMatchObject({ kind: "refused", status: 400 });
  }
});

test("ends are read, with reason or address, and clients see only our id", () => {
  const asked = [{ upstreamId: "cgt-1", action: "VIDEO", model: "m" }];
  const read = (answer: object) =>
    doubao.readPolled({ id: "cgt-1", ...answer }, asked)?.get("cgt-1");
  const content = { video_url: "https://v.example/1.mp4" };
  expect(read({ status: "succeeded", content })).toMatchObject({
    status: "SUCCESS",
    url: content.video_url,
  });
  const error = { code: "x", message: "not allowed" };
  expect(read({ status: "failed", error })).toMatchObject({ failReason: "not allowed" });
  expect(read({ status: "expired" })).toMatchObject({ status: "FAILURE", failReason: "expired" });
  expect(read({ status: "unheard of" })).toBeUndefined();
});
