import { expect, test } from "bun:test";
import { cooldownMsMax, ejectionMs } from "./circuit.ts";
import { type Health, openHealth } from "./health.ts";
import { type HealthHint, readHint } from "./health-hints.ts";

/** Opens the health of one channel on several nodes, each of which hears what the others tell. */
function openNodes(count: number) {
  let nowMs = 1_000;
  let told = 0;
  const nodes: Health[] = [];
  for (let node = 0; node < count; node += 1) {
    const tell = (hint: HealthHint): void => {
      told += 1;
      // As it comes over the wire.
      const text = JSON.stringify(hint);
      for (const [at, other] of nodes.entries()) if (at !== node) other.heard(JSON.parse(text));
    };
    nodes.push(openHealth(() => nowMs, { tell, random: () => 0.5, now: () => 1_000_000 }));
  }
  const at = (node: number): Health => {
    const health = nodes[node % count];
    if (health === undefined) throw new Error("no such node");
    return health;
  };
  const blocks = (model = "m"): (string | undefined)[] =>
    nodes.map((health) => health.blockOf(1, model)?.kind);
  function call(
    node: number,
    outcome: "answered" | "failed",
    more: { retryAfterMs?: number; scope?: "channel" | "key" | "key-revoked" | "model" } = {},
  ): void {
    at(node).started(1, 7, "m");
    const failed = { kind: "failed", retryAfterMs: null, ...more } as const;
    at(node).ended(1, outcome === "failed" ? failed : { kind: "answered" }, 7, "m");
  }
  return {
    at,
    blocks,
    call,
    told: () => told,
    pass: (ms: number) => void (nowMs += ms),
  };
}

for (const scope of ["channel", "model"] as const) {
  test(`a broken ${scope} costs five calls over three nodes in all, not five a node`, () => {
    const { blocks, call } = openNodes(3);
    let calls = 0;
    for (let turn = 0; turn < 30; turn += 1) {
      if (blocks()[turn % 3] !== undefined) continue;
      call(turn, "failed", { scope });
      calls += 1;
    }
    expect(calls).toBe(5);
    expect(blocks()).toEqual(["ejected", "ejected", "ejected"]);
    expect(blocks("other")).toEqual(
      Array.from({ length: 3 }, () => (scope === "channel" ? "ejected" : undefined)),
    );
  });
}

test("a success at any node ends a row of failures at all of them", () => {
  const { blocks, call } = openNodes(3);
  for (let round = 0; round < 5; round += 1) {
    for (let turn = 0; turn < 4; turn += 1) call(0, "failed", { scope: "model" });
    call(1, "answered");
    for (let turn = 0; turn < 4; turn += 1) call(2, "failed", { scope: "model" });
    call(1, "answered");
    expect(blocks()).toEqual([undefined, undefined, undefined]);
    // Among the last twenty calls of each node, few enough have failed.
    for (let turn = 0; turn < 20; turn += 1) for (const node of [0, 2]) call(node, "answered");
  }
});

test("a key that is refused or asks for a pause is left out by every node, and no other key is", () => {
  const { at, call, pass } = openNodes(3);
  call(0, "failed", { scope: "key", retryAfterMs: 5_000 });
  for (const node of [0, 1, 2]) {
    expect(at(node).keyBlockOf(1, 7, "m")?.kind).toBe("cooldown");
    expect(at(node).keyBlockOf(1, 8, "m")).toBeNull();
    expect(at(node).anyBlocked()).toBe(true);
  }
  pass(5_001);
  expect(at(2).keyBlockOf(1, 7, "m")).toBeNull();
  call(1, "failed", { scope: "key-revoked" });
  for (const node of [0, 1, 2]) expect(at(node).keyBlockOf(1, 7, "x")?.kind).toBe("ejected");
});

test("what an upstream says is used up of a key is known to every node until it is reset", () => {
  const { at, pass } = openNodes(3);
  const told = { requestsLeft: "0", requestsReset: "30s", tokensLeft: null, tokensReset: null };
  at(1).uses.told({ id: 1, keyLimits: null }, 7, "m", told, 1_000_000);
  const key = { id: 1, keyLimits: null };
  for (const node of [0, 1, 2]) expect(at(node).uses.blockOf(key, 7, "m")?.kind).toBe("limit");
  pass(30_001);
  for (const node of [0, 1, 2]) expect(at(node).uses.blockOf(key, 7, "m")).toBeNull();
});

test("one node probes for all: the others wait, come back with it, or stay away with it", () => {
  const { at, blocks, call, pass } = openNodes(3);
  for (let turn = 0; turn < 5; turn += 1) call(0, "failed", { scope: "model" });
  pass(ejectionMs + 1);
  // The node that ejected it is the first that may probe.
  expect(blocks()).toEqual([undefined, "ejected", "ejected"]);
  at(0).started(1, 7, "m");
  pass(2_000);
  expect(blocks()).toEqual(["probing", "probing", "probing"]);
  at(0).ended(1, { kind: "failed", retryAfterMs: null, scope: "model" }, 7, "m");
  expect(blocks()).toEqual(["ejected", "ejected", "ejected"]);
  pass(2 * ejectionMs - 1);
  expect(blocks()).toEqual(["ejected", "ejected", "ejected"]);
  pass(2);
  call(0, "answered");
  expect(blocks()).toEqual([undefined, undefined, undefined]);
});

test("a node that dies while it probes holds the others back for ten seconds, not for ever", () => {
  const { at, blocks, call, pass } = openNodes(2);
  for (let turn = 0; turn < 5; turn += 1) call(0, "failed", { scope: "model" });
  pass(ejectionMs + 3_000);
  at(0).started(1, 7, "m");
  expect(blocks()[1]).toBe("probing");
  pass(10_001);
  expect(blocks()[1]).toBeUndefined();
});

test("twenty nodes that each see a tenth of their calls fail do not eject the channel", () => {
  const { blocks, call } = openNodes(20);
  for (let turn = 0; turn < 2_000; turn += 1) {
    const fails = (turn + Math.floor(turn / 20)) % 10 === 0;
    call(turn, fails ? "failed" : "answered", { scope: "model" });
    expect(blocks()[turn % 20]).toBeUndefined();
  }
});

test("calls of a channel that works are told to nobody", () => {
  const { call, told } = openNodes(3);
  for (let turn = 0; turn < 100; turn += 1) call(turn, "answered");
  expect(told()).toBe(0);
});

test("a hint of another version or of anybody else is not believed", () => {
  const part = { channel: 1, part: "channel", keyMark: 0, model: "" };
  const failed = { ...part, what: "failed", cooldownMs: 1, ejectedMs: 0, ejections: 0 };
  expect(readHint(failed)).not.toBeNull();
  for (const other of [
    null,
    "failed",
    [],
    { ...failed, channel: "1" },
    { ...failed, part: "all" },
    { ...failed, ejectedMs: "1" },
    { ...part, what: "told", told: null },
    { ...part, what: "told", told: { requestsLeft: "0" } },
    { ...part, what: "answered" },
    { ...part, what: "unheard of" },
  ]) {
    expect(readHint(other)).toBeNull();
  }
  const { at, blocks } = openNodes(1);
  const endless = { ...failed, cooldownMs: 1e12, ejectedMs: 1e12 };
  at(0).heard(endless);
  expect(at(0).blockOf(1)?.until).toBeLessThanOrEqual(1_000 + 300_000 + 2_000);
  expect(blocks()).toEqual(["ejected"]);
  expect(cooldownMsMax).toBe(60_000);
});
