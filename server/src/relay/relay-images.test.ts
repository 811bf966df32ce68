/** Pictures through the relay: bounds, price, charge and answers. */

import { afterEach, expect, test } from "bun:test";
import { formOf, openMediaRelay } from "./testing/media.ts";

const opened: { stop(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of opened.splice(0)) await each.stop();
});

function open(...given: Parameters<typeof openMediaRelay>) {
  const made = openMediaRelay(...given);
  opened.push(made);
  return made;
}

const pictures = (count: number) => {
  return { created: 1, data: Array.from({ length: count }, () => ({ b64_json: "AAAA" })) };
};
const picture = pictures(1);
const path = "/v1/images/generations";

test("a picture costs the price of a call times number, size and quality", async () => {
  const { post, charges } = open(
    async ({ body }) => Response.json(pictures((await body.json()).n)),
    {
      models: new Set(["fixed", "dall-e-3"]),
      modelMapping: new Map([["dall-e-3", "dall-e-3"]]),
    },
  );
  for (const more of [{}, { n: 3 }, { n: 2, size: "256x256" }, { size: "1792x1024" }]) {
    const response = await post(path, { model: "fixed", prompt: "a cat", n: 1, ...more });
    expect([response.status, await response.json()]).toEqual([200, pictures(more.n ?? 1)]);
  }

  // 0.01 dollars a call are 5,000 units.
  expect(charges()).toEqual([
    [5_000, "local"],
    [15_000, "local"],
    [4_000, "local"],
    [10_000, "local"],
  ]);
});

test("where the price is by tokens, reported tokens count, and else 1,250 for each picture", async () => {
  const usage = {
    input_tokens: 76,
    input_tokens_details: { image_tokens: 64, text_tokens: 12 },
    output_tokens: 120,
    output_tokens_details: { image_tokens: 120, text_tokens: 0 },
    total_tokens: 196,
  };
  const answers = [{ ...picture, usage }, pictures(2)];
  const { post, charges } = open(() => Response.json(answers.shift()));
  await post(path, { model: "m", prompt: "a cat", size: "1536x864", quality: "low" });
  await post(path, { model: "m", prompt: "a cat", n: 2 });

  expect(charges()).toEqual([
    [76 * 2 + 120 * 8, "upstream"],
    [2 * 1_250 * 2, "local"],
  ]);
});

test("P-M3: what is out of bounds is refused before an upstream is asked, and named", async () => {
  const { post, seen, relay } = open(() => Response.json(picture));
  for (const [more, param] of [
    [{ n: 0 }, "n"],
    [{ n: 11 }, "n"],
    [{ n: 1.5 }, "n"],
    [{ n: "2" }, "n"],
    [{ size: "9999x9999" }, "size"],
    [{ size: "huge" }, "size"],
    [{ quality: "best" }, "quality"],
    [{ partial_images: 4 }, "partial_images"],
    [{ prompt: "" }, "prompt"],
    [{ model: 7 }, "model"],
    [{ N: 5 }, "N"],
  ] as const) {
    const response = await post(path, { model: "m", prompt: "a cat", ...more });
    const { error } = (await response.json()) as { error: { code: string; param: string } };
    expect([response.status, error.code, error.param]).toEqual([
      400,
      "invalid_image_request",
      param,
    ]);
  }
  expect([seen.length, relay.money.held]).toEqual([0, 0]);
});

test("P-M4: hostile figures are replaced by the gateway's own count", async () => {
  const hostile = [-1, 1.5, "many", 9_999_999, 10_000_001];
  const { post, charges } = open(() =>
    Response.json({ ...picture, usage: { input_tokens: 5, output_tokens: hostile[0] } }),
  );
  while (hostile.length > 0) {
    await post(path, { model: "m", prompt: "a cat" });
    hostile.shift();
  }

  expect(charges()).toEqual(Array.from({ length: 5 }, () => [2_500, "suspect"]));
});

test("a balance that does not cover all pictures is refused, and nothing is held", async () => {
  const { post, relay, seen } = open(() => Response.json(picture), {}, { balance: 14_999 });
  const response = await post(path, { model: "fixed", prompt: "a cat", n: 3 });

  expect([response.status, seen.length, relay.money.held]).toEqual([403, 0, 0]);
});

test("T23: an edit with two pictures through a mapped model arrives whole, in a new form", async () => {
  const { post, seen, charges } = open(() => Response.json(pictures(2)), {
    models: new Set(["fixed"]),
    modelMapping: new Map([["fixed", "gpt-image-1"]]),
  });
  const [one, two] = [Buffer.alloc(70_000, 1), Buffer.from("--tollgate\r\n\r\nraw")];
  const form = formOf({ prompt: "turn it\r\ngreen", n: "2", model: "fixed" }, [
    ["image[]", one],
    ["image[]", two],
  ]);
  const response = await post("/v1/images/edits", form);
  const [sent] = seen;
  const got = await new Response(sent?.body, {
    headers: { "content-type": sent?.request.headers.get("content-type") ?? "" },
  }).formData();
  const files = got.getAll("image[]") as unknown as File[];

  expect([response.status, sent?.path]).toEqual([200, "/v1/images/edits"]);
  expect([got.get("model"), got.get("prompt"), got.get("n")]).toEqual([
    "gpt-image-1",
    "turn it\r\ngreen",
    "2",
  ]);
  expect(
    await Promise.all(files.map(async (file) => Buffer.from(await file.arrayBuffer()))),
  ).toEqual([one, two]);
  expect(charges()).toEqual([[10_000, "local"]]);
});

test("a form is refused that breaks off, repeats what its price depends on, or has no picture", async () => {
  const { post, relay, seen } = open(() => Response.json(picture));
  const image: [string, Buffer][] = [["image", Buffer.from("x")]];
  const twice = formOf({ model: "m", prompt: "p", n: "1" }, image);
  twice.append("n", "10");
  const escaping = formOf({ model: "m", prompt: "p" }, image);
  escaping.append("model", "other");
  for (const [form, param] of [
    [twice, "n"],
    [escaping, "model"],
    [formOf({ model: "m", prompt: "p", n: "11" }, image), "n"],
    [formOf({ model: "m", prompt: "p", n: "0x2" }, image), "n"],
    [formOf({ model: "m", prompt: "p" }, []), "image"],
    [formOf({ model: "m" }, image), "prompt"],
  ] as const) {
    const response = await post("/v1/images/edits", form);
    const { error } = (await response.json()) as { error: { param: string } };
    expect([response.status, error.param]).toEqual([400, param]);
  }
  for (const body of [
    "",
    "--x",
    "--x\r\n\r\n",
    '--x\r\ncontent-disposition: form-data; name="model"\r\n\r\nm',
  ]) {
    const headers = { "content-type": "multipart/form-data; boundary=x" };
    const response = await post("/v1/images/edits", {}, { body, headers });
    expect([body, response.status]).toEqual([body, 400]);
  }
  expect([seen.length, relay.money.held]).toEqual([0, 0]);
});

test("a stream of pictures larger than usual events is billed by its last event", async () => {
  const b64_json = "A".repeat(400_000);
  const events = [
    { type: "image_generation.partial_image", b64_json },
    { type: "image_generation.completed", b64_json, usage: { input_tokens: 10, output_tokens: 5 } },
  ];
  const text = events
    .map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
    .join("");
  const { post, charges } = open(
    () => new Response(text, { headers: { "content-type": "text/event-stream" } }),
  );
  const response = await post(path, { model: "m", prompt: "a cat", stream: true });

  expect(await response.text()).toBe(text);
  expect(charges()).toEqual([[10 * 2 + 5 * 8, "upstream"]]);
});

test("an upstream's refusal reaches the client in its own words, and costs nothing", async () => {
  const error = {
    message: "Your request was rejected",
    type: "image_generation_user_error",
    code: "moderation_blocked",
  };
  const { post, relay } = open(() => Response.json({ error }, { status: 400 }));
  const response = await post(path, { model: "m", prompt: "a cat" });

  expect([response.status, (await response.json()) as object]).toMatchObject([
    400,
    { error: { code: "moderation_blocked" } },
  ]);
  expect([relay.money.settled.length, relay.money.held, relay.failures.length]).toEqual([0, 0, 1]);
});
