/** What of a request decides its price is one of a closed list, or has one spelling. */

import { expect, test } from "bun:test";
import type { TaskAsk } from "./platform.ts";
import { findPlatform } from "./registry.ts";

function ask(id: string, path: string, body: Record<string, unknown>): TaskAsk | undefined {
  const route = findPlatform(id)?.routes.find(
    (each) => each.method === "POST" && each.path === path,
  );
  return route?.read({
    segments: ["music"],
    mode: "",
    query: new URLSearchParams(),
    body,
    options: { accountFilter: false, notify: false, modeClear: false, actionCheckSuccess: true },
  });
}

const prompt = "a cat";

test("a mode of Kling costs what it is called upstream, however it is written, or is refused", () => {
  for (const path of ["/v1/videos/text2video", "/v1/videos/image2video"]) {
    for (const [mode, priced] of [
      ["pro", "pro"],
      ["Pro", "pro"],
      [" PRO\t", "pro"],
      ["std", "std"],
      ["", "std"],
    ] as const) {
      expect(ask("kling", path, { prompt, mode })).toMatchObject({
        use: { mode: priced },
        body: { mode: priced },
      });
    }
    for (const mode of ["professional", "pr0", "pro,std", "prо", ["pro"], { pro: 1 }, 1, true]) {
      expect([mode, ask("kling", path, { prompt, mode })?.kind]).toEqual([mode, "refused"]);
    }
  }
  // What these make has one price, so a mode has no place there.
  for (const path of ["/kling/v1/images/generations", "/v1/videos/lip-sync"]) {
    expect(ask("kling", path, { prompt, mode: "pro" })).not.toMatchObject({
      body: { mode: "pro" },
    });
  }
});

test("a video of Kling is as long as its model makes it, and charged by that length", () => {
  const images = { image_list: [{ image: "https://a.test/1.png" }] };
  for (const [path, model_name, duration, seconds] of [
    ["/v1/videos/text2video", "kling-v2-master", 10, 10],
    ["/v1/videos/text2video", "kling-v2-master", 7, null],
    ["/v1/videos/text2video", "kling-v3", "3", 3],
    ["/v1/videos/image2video", "kling-v3", 15, 15],
    ["/v1/videos/text2video", "kling-v3", 2, null],
    ["/v1/videos/text2video", "kling-v3", 16, null],
    ["/v1/videos/text2video", "kling-v3", "4.5", null],
    ["/kling/v1/videos/omni-video", "kling-v3-omni", 12, 12],
    ["/v1/videos/omni-video", "kling-video-o1", undefined, 5],
    ["/v1/videos/multi-image2video", "kling-v1-6", "5", 5],
    ["/v1/videos/multi-image2video", "kling-v1-6", "7", null],
  ] as const) {
    const body = { prompt, model_name, ...images, ...(duration === undefined ? {} : { duration }) };
    const asked = ask("kling", path, body);
    if (seconds === null) {
      expect([path, duration, asked?.kind]).toEqual([path, duration, "refused"]);
    } else {
      expect(asked).toMatchObject({
        use: { seconds },
        body: { duration: String(seconds), ...images },
      });
    }
  }
  expect(ask("kling", "/v1/videos/multi-image2video", { prompt })?.kind).toBe("refused");
});

test("a video that Kling changes is charged as the longest that it takes, and has its own length", () => {
  const video_list = [{ video_url: "https://a.test/v.mp4", refer_type: "base" }];
  const asked = ask("kling", "/v1/videos/omni-video", { prompt, video_list });
  expect(asked).toMatchObject({ use: { seconds: 10, mode: "std" }, body: { video_list } });
  expect(asked).not.toHaveProperty("body.duration");
  const like = [{ video_url: "https://a.test/v.mp4", refer_type: "feature" }];
  expect(ask("kling", "/v1/videos/omni-video", { prompt, video_list: like })).toMatchObject({
    use: { seconds: 5 },
    body: { duration: "5" },
  });
});

test("a shape of Kling is written in one way", () => {
  const path = "/v1/videos/text2video";
  expect(ask("kling", path, { prompt, aspect_ratio: "16:9" })).toMatchObject({
    use: { size: "16:9" },
  });
  for (const aspect_ratio of ["16:9 ", "16：9", "016:9", "16/9", "wide"]) {
    expect([aspect_ratio, ask("kling", path, { prompt, aspect_ratio })?.kind]).toEqual([
      aspect_ratio,
      "refused",
    ]);
  }
});

test("a service tier of Doubao is one that it has", () => {
  const path = "/doubao/api/v3/contents/generations/tasks";
  const content = [{ type: "text", text: prompt }];
  for (const [sent, priced] of [
    ["flex", "flex"],
    ["Flex", "flex"],
    ["default", "default"],
  ] as const) {
    expect(ask("doubao", path, { content, service_tier: sent })).toMatchObject({
      use: { mode: priced },
      body: { service_tier: priced },
    });
  }
  expect(ask("doubao", path, { content })).toMatchObject({ use: { mode: "" } });
  for (const service_tier of ["fast", "flex ,", ["flex"], 7]) {
    expect([service_tier, ask("doubao", path, { content, service_tier })?.kind]).toEqual([
      service_tier,
      "refused",
    ]);
  }
});

test("a version of Suno's songs is priced as it is sent", () => {
  const path = "/suno/submit/*";
  for (const [mv, priced] of [
    ["Chirp-V4", "chirp-v4"],
    [" chirp-v4 ", "chirp-v4"],
    ["", "chirp-v3-0"],
  ] as const) {
    expect(ask("suno", path, { prompt, mv })).toMatchObject({
      use: { mode: priced },
      body: { mv: priced },
    });
  }
  for (const mv of ["chirp v4", "chirp-v4;", ["chirp-v4"], 4]) {
    expect([mv, ask("suno", path, { prompt, mv })?.kind]).toEqual([mv, "refused"]);
  }
});

test("a size of OpenAI's videos has one spelling", () => {
  for (const size of ["0720x1280", "720x01280", "720X1280", "720x1280 ", "720*1280"]) {
    expect([size, ask("openai-video", "/v1/videos", { prompt, size })?.kind]).toEqual([
      size,
      "refused",
    ]);
  }
});
