import { expect, test } from "bun:test";
import { openaiVideo } from "./openai-video.ts";
import type { StoredTask } from "./platform.ts";

const id = `T${"a".repeat(32)}`;

function remix(body: Record<string, unknown>) {
  const asked = openaiVideo.routes
    .find(({ path }) => path === "/v1/videos/*/remix")
    ?.read({
      segments: [id],
      mode: "",
      query: new URLSearchParams(),
      body,
      options: { accountFilter: false, notify: false, modeClear: false, actionCheckSuccess: true },
    });
  return asked;
}

/** Safe cast: a remix reads only these fields of its video. */
const video = (data: object) =>
  ({ id, data, model: "sora-2-pro", upstreamId: "video_1" }) as unknown as StoredTask;

test("a remix costs the length and size of its video, and sends the prompt alone", () => {
  const asked = remix({ prompt: "at night", seconds: "1", size: "1x1" });
  if (asked?.kind !== "submit") throw new Error(JSON.stringify(asked));
  expect(asked).toMatchObject({ follows: id, needsSuccess: true });
  const made = asked.inherit?.(video({ seconds: "8", size: "1280x720" }));
  if (made?.kind !== "submit") throw new Error(JSON.stringify(made));
  expect(made).toMatchObject({ models: ["sora-2-pro"], use: { seconds: 8, size: "1280x720" } });
  const sending = {
    submission: made,
    upstreamModel: "sora-2-pro",
    followsUpstream: "video_1",
    followsPart: "",
    notifyUrl: "",
  };
  expect(openaiVideo.submitRequest(sending)).toEqual({
    method: "POST",
    path: "/v1/videos/video_1/remix",
    body: { prompt: "at night" },
  });
  expect(remix({ prompt: "" })).toMatchObject({ kind: "refused" });
  // Its price could not be known.
  expect(asked.inherit?.(video({}))).toMatchObject({ kind: "refused", status: 400 });
});
