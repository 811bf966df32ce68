import { expect, test } from "bun:test";
import { findPlatform, platforms } from "./registry.ts";
import { nearestRatio, readWish } from "./video-wish.ts";

const picture = "https://x.example/1.png";

function read(platform: string, body: Record<string, unknown>) {
  return findPlatform(platform)?.readVideo?.(readWish({ model: "m", prompt: "a cat", ...body }));
}

test("the generic request asks each platform for the same video, in its own form", () => {
  const makers = platforms.filter(({ readVideo }) => readVideo !== undefined).map(({ id }) => id);
  expect(makers).toEqual(["doubao", "kling", "openai-video"]);
  const wish = { duration: 10, width: 1920, height: 1080, seed: 7 };
  expect(read("doubao", wish)).toMatchObject({
    models: ["m"],
    action: "VIDEO",
    prompt: "a cat",
    use: { seconds: 10, size: "1080p", count: 1 },
    path: "/api/v3/contents/generations/tasks",
    body: {
      model: "m",
      seed: 7,
      content: [{ type: "text", text: "a cat --ratio 16:9 --resolution 1080p --duration 10" }],
    },
  });
  expect(read("kling", wish)).toMatchObject({
    models: ["m"],
    action: "VIDEO",
    use: { seconds: 10, size: "16:9", mode: "std", count: 1 },
    path: "/v1/videos/text2video",
    body: { model_name: "m", prompt: "a cat", duration: "10", aspect_ratio: "16:9", seed: 7 },
  });
  expect(read("openai-video", wish)).toMatchObject({
    models: ["m"],
    action: "VIDEO",
    use: { seconds: 10, size: "1920x1080", count: 1 },
    path: "/v1/videos",
    body: { model: "m", prompt: "a cat", seconds: "10", size: "1920x1080", seed: 7 },
  });
});

test("without a length and a size, each platform is asked for its own, which is charged", () => {
  expect(read("doubao", {})).toMatchObject({ use: { seconds: 5, size: "720p" } });
  expect(read("kling", {})).toMatchObject({ use: { seconds: 5, mode: "std" } });
  expect(read("openai-video", {})).toMatchObject({ use: { seconds: 4, size: "720x1280" } });
});

test("a picture is what the video begins with, on every platform", () => {
  expect(read("doubao", { image: picture, images: [picture], size: "720p" })).toMatchObject({
    action: "IMAGE_VIDEO",
    body: {
      content: [{ type: "text" }, { type: "image_url", image_url: { url: picture } }],
    },
  });
  expect(read("kling", { images: [picture] })).toMatchObject({
    action: "IMAGE_VIDEO",
    path: "/v1/videos/image2video",
    body: { image: picture },
  });
  expect(read("openai-video", { image: picture })).toMatchObject({
    body: { input_reference: { image_url: picture } },
  });
});

test("fields of a platform in `metadata` are sent, and what they make dearer is charged", () => {
  const kling = read("kling", { metadata: { mode: "pro", duration: 10, negative_prompt: "dogs" } });
  expect(kling).toMatchObject({
    use: { seconds: 10, mode: "pro" },
    body: { duration: "10", mode: "pro", negative_prompt: "dogs" },
  });
  const doubao = read("doubao", { metadata: { resolution: "1080p", model: "dear", content: [] } });
  expect(doubao).toMatchObject({ models: ["m"], use: { size: "1080p" }, body: { model: "m" } });
  const openai = read("openai-video", { metadata: { seconds: "12", model: "dear", n: 4 } });
  expect(openai).toMatchObject({ models: ["m"], use: { seconds: 12 }, body: { seconds: "12" } });
  expect(Object(openai).body).not.toHaveProperty("n");
});

test("what a platform cannot make is refused, with what it can", () => {
  const refusals = [
    ["doubao", { size: "640x360" }, "resolution must be one of 480p, 720p, 1080p"],
    ["doubao", { duration: 60 }, "duration must be a whole number from 2 to 12"],
    ["kling", { seconds: "4" }, "duration must be 5 or 10"],
    ["kling", { size: "large" }, "size must be like 1280x720 or 16:9"],
    ["kling", { prompt: " " }, "prompt is required"],
    ["openai-video", { size: "16:9" }, "size must be like 720x1280"],
  ] as const;
  for (const [platform, body, message] of refusals) {
    expect(read(platform, body)).toEqual({ kind: "refused", status: 400, message });
  }
});

test("a size becomes the nearest shape that a platform has", () => {
  const ratios = ["16:9", "9:16", "1:1"];
  const sizes = { "16:9": [1792, 1024], "9:16": [720, 1280], "1:1": [1024, 1024] };
  for (const [ratio, [width = 0, height = 0]] of Object.entries(sizes)) {
    expect(nearestRatio({ width, height }, ratios)).toBe(ratio);
  }
});
