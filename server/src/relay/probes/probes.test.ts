import { expect, test } from "bun:test";
import { testChannel, testSnapshot } from "#relay/testing/relay.ts";
import type { Transport } from "#network/transport.ts";
import { openProbes } from "./probes.ts";

const refusing: Transport = async () => ({
  kind: "answer",
  status: 401,
  mediaType: "application/json",
  retryAfter: null,
  read: async () => null,
  flowTo() {},
  readAll: () => new TextEncoder().encode('{"error":{"code":"invalid_api_key"}}'),
  cancel() {},
});

const channel = testChannel({ baseUrl: "https://api.example.com" });

test("O-200: an option counts from the next test on, without a restart", async () => {
  const made = testSnapshot({ channels: [channel] });
  let automaticDisable = false;
  const snapshot = {
    ...made,
    get options() {
      return { ...made.options, automaticDisable };
    },
  };
  const { now } = Date;
  const ports = openProbes({ transport: refusing, snapshot, now, nowMs: now });

  expect(await ports.testChannel(1, null, false)).toMatchObject({ ok: false, atFault: false });
  automaticDisable = true;
  expect(await ports.testChannel(1, null, false)).toMatchObject({ ok: false, atFault: true });
  const draft = {
    ...channel,
    models: new Set(channel.models),
    groups: new Set(channel.groups),
    modelMapping: new Map(channel.modelMapping),
    statusCodeMapping: new Map(channel.statusCodeMapping),
    paramOverride: null,
    headerOverride: null,
  };
  expect(await ports.tryChannel(draft, "m")).toMatchObject({ ok: false, atFault: true });
});

test("a channel that the relay cannot use is neither tested nor asked for its balance", async () => {
  const snapshot = testSnapshot({ channels: [] });
  const { now } = Date;
  const ports = openProbes({ transport: refusing, snapshot, now, nowMs: now });

  expect(await ports.testChannel(1, null, false)).toMatchObject({ ok: false, atFault: false });
  expect(await ports.askBalance(1)).toMatchObject({ ok: false });
});
