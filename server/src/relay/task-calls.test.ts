import { afterEach, expect, test } from "bun:test";
import type { TaskCaller, TaskDesk } from "#ports/task-desk.ts";
import { openTestRelay, testChannel, testKey } from "./testing/relay.ts";

let stop = async (): Promise<void> => {};
afterEach(async () => await stop());

/** Starts a relay whose desk gives each caller to `run`. */
function startDesk(run: (caller: TaskCaller, skip: (ms: number) => void) => void) {
  const tasks: TaskDesk = {
    find: (method, path) => ({
      platform: "openai-video",
      route: { method: "POST", path, read: () => ({ kind: "fetch", id: "T1" }) },
      segments: [],
      mode: method,
    }),
    async answer({ caller }) {
      if (caller !== null) run(caller, (ms) => void (relay.skipMs += ms));
      return { status: 200, headers: {}, body: "{}" };
    },
    refuse: (_found, { status, message }) => ({ status, body: message }),
  };
  const baseUrl = "http://127.0.0.1:9";
  const channels = [testChannel({ baseUrl, priority: 1 }), testChannel({ baseUrl, id: 2 })];
  const relay = openTestRelay({ channels, tasks });
  stop = relay.stop;
  return relay;
}

/** Makes a call about tasks, and gives what the relay gives the tasks' desk. */
async function asDesk(run: (caller: TaskCaller, skip: (ms: number) => void) => void) {
  const relay = startDesk(run);
  const response = await fetch(`${relay.url}/v1/videos`, {
    method: "POST",
    headers: { authorization: `Bearer ${testKey}`, "content-type": "application/json" },
    body: "{}",
  });
  expect([response.status, relay.logged]).toEqual([200, []]);
}

// A proxy in front may have checked the key that the gateway does not use.
test("Midjourney's own key header beside another header with another key is refused", async () => {
  const relay = startDesk(() => {});
  const ask = async (headers: Record<string, string>): Promise<string> => {
    const response = await fetch(`${relay.url}/v1/videos`, { method: "POST", headers, body: "{}" });
    const text = await response.text();
    return `${response.status} ${/两个不同的密钥/.exec(text)?.[0] ?? ""}`.trim();
  };
  const bearer = { authorization: `Bearer ${testKey}` };
  expect(await ask({ ...bearer, "mj-api-secret": "sk-other" })).toBe("400 两个不同的密钥");
  expect(await ask({ authorization: "Bearer sk-other", "mj-api-secret": testKey })).toStartWith(
    "400",
  );
  expect(await ask({ "x-api-key": "sk-other", "mj-api-secret": testKey })).toStartWith("400");
  expect(await ask({ ...bearer, "mj-api-secret": testKey })).toBe("200");
  expect(await ask({ "mj-api-secret": testKey })).toBe("200");
});

test("a submission that is not sent, such as one that cannot be paid, does not use up the trial of a channel that failed", async () => {
  await asDesk((caller, skip) => {
    const terms = caller.terms(["fixed"], null);
    const chosen = () => terms.choose([], () => true);
    const first = chosen();
    if (first?.id !== 1) throw new Error("the channel of the higher priority is not the first");
    for (let failures = 0; chosen()?.id === 1 && failures < 20; failures += 1) {
      caller.began(first);
      caller.ended(first, "fixed", { fault: "http-500", ms: 1, isRetry: false });
    }
    const ids = [chosen()?.id];
    skip(3_600_000);
    // Chosen twice, and never asked.
    ids.push(chosen()?.id, chosen()?.id);
    // One that is asked is the trial: others wait for its end.
    caller.began(first);
    ids.push(chosen()?.id);
    caller.ended(first, "fixed", { fault: null, ms: 1, isRetry: false });
    expect([...ids, chosen()?.id]).toEqual([2, 1, 1, 2, 1]);
  });
});

test("a model that is priced by tokens makes no tasks, which have none and would be free", async () => {
  await asDesk((caller) => {
    expect(() => caller.terms(["m"], null)).toThrow("未配置按次价格");
    expect(caller.terms(["fixed"], null).price.kind).toBe("call");
  });
});
