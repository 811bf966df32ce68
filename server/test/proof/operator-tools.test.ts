/**
 * What operators' tools read of a gateway: traces sent to a collector, and the metrics that the
 * alert rules and the dashboard in `docs/operate/` name.
 */

import { afterAll, beforeAll, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { addChannel } from "#test/console.ts";
import { chat } from "./chat-call.ts";
import { addSpender, type Installation, openInstallation, type Spender } from "./installation.ts";
import { eventually } from "./ledger.ts";

/** A call has 17 input and 20 output tokens, which cost 37 quota units. */
const script = { promptTokens: 17, events: 20, piece: "canary-answer " };
const answering = { name: "good", script, ratio: 1 };
const plain = { ...answering, name: "plain" };
const failing = { name: "bad", script: { status: 500 }, ratio: 1 };
const secondTry = { name: "second", script: { status: 500 }, ratio: 1 };
const dollar = 500_000;

type Span = {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string;
  readonly name: string;
  readonly kind: number;
  readonly from: number;
  readonly to: number;
  readonly isError: boolean;
  readonly attributes: Readonly<Record<string, unknown>>;
};

/** Takes traces as a collector does, over OTLP with HTTP and JSON. */
function openCollector() {
  const spans: Span[] = [];
  const bodies: string[] = [];
  let status = 200;
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request) {
      if (status !== 200) return new Response("no", { status });
      expect(new URL(request.url).pathname).toBe("/v1/traces");
      expect(request.headers.get("x-collector-key")).toBe("k1");
      const text = await request.text();
      bodies.push(text);
      spans.push(...spansOf(JSON.parse(text)));
      return Response.json({});
    },
  });
  return {
    url: `http://127.0.0.1:${server.port}`,
    spans,
    bodies,
    answerWith(next: number) {
      status = next;
    },
    stop: async () => await server.stop(true),
  };
}

type Value = { readonly stringValue?: string; readonly boolValue?: boolean } & {
  readonly intValue?: number | string;
  readonly doubleValue?: number;
};
type Sent = {
  readonly resourceSpans: readonly {
    readonly scopeSpans: readonly {
      readonly spans: readonly (Omit<Span, "attributes" | "from" | "isError" | "to"> & {
        readonly startTimeUnixNano: string;
        readonly endTimeUnixNano: string;
        readonly status: { readonly code?: number };
        readonly attributes: readonly { readonly key: string; readonly value: Value }[];
      })[];
    }[];
  }[];
};

function spansOf(sent: Sent): Span[] {
  return sent.resourceSpans
    .flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans))
    .map((span) => ({
      ...span,
      from: Number(span.startTimeUnixNano),
      to: Number(span.endTimeUnixNano),
      isError: span.status.code === 2,
      attributes: Object.fromEntries(
        span.attributes.map(({ key, value }) => [
          key,
          value.stringValue ??
            value.boolValue ??
            value.doubleValue ??
            (value.intValue === undefined ? undefined : Number(value.intValue)),
        ]),
      ),
    }));
}

const collector = openCollector();
let place: Installation;
let spender: Spender;
let brokenChannel = 0;
beforeAll(async () => {
  place = await openInstallation("sqlite", {
    models: [answering, plain, failing],
    env: {
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_HEADERS: "x-collector-key=k1",
      OTEL_EXPORTER_OTLP_TIMEOUT: "2000",
    },
  });
  await place.demo.script(secondTry.name, secondTry.script);
  // This channel is tried first, and fails each call of the good model.
  brokenChannel = await addChannel(place.root, {
    base_url: place.demo.url,
    models: answering.name,
    model_mapping: JSON.stringify({ [answering.name]: secondTry.name }),
    priority: 10,
    auto_ban: 0,
  });
  spender = await addSpender(place, 10 * dollar);
});
afterAll(async () => {
  await place.close();
  await collector.stop();
});

async function spansWhere(isWanted: (span: Span) => boolean, count: number): Promise<Span[]> {
  return await eventually(
    async () => await Promise.resolve(collector.spans.filter(isWanted)),
    (found) => found.length === count,
    { what: `${count} spans` },
  );
}

const metric = async (name: string): Promise<number> => {
  const text = await (await fetch(`${place.origin}/metrics`)).text();
  return Number(new RegExp(`^${name} (\\S+)$`, "m").exec(text)?.[1]);
};

test("a call is a span of the client's trace, its attempts are children, and no text is in it", async () => {
  const traceId = "0af7651916cd43dd8448eb211c80319c";
  const parent = "b7ad6b7169203331";
  const answer = await fetch(`${place.origin}/v1/chat/completions`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      authorization: `Bearer ${spender.key}`,
      traceparent: `00-${traceId}-${parent}-01`,
    },
    body: JSON.stringify({
      model: answering.name,
      stream: true,
      messages: [{ role: "user", content: "canary-question" }],
    }),
  });
  expect(await answer.text()).toContain("canary-answer");
  const found = await spansWhere((span) => span.traceId === traceId, 3);

  const call = found.find((span) => span.parentSpanId === parent);
  if (call === undefined) throw new Error("no span of the call");
  expect(call.name).toBe(`chat ${answering.name}`);
  expect(call.isError).toBeFalse();
  expect(call.attributes).toMatchObject({
    "gen_ai.operation.name": "chat",
    "gen_ai.request.model": answering.name,
    "gen_ai.request.stream": true,
    "gen_ai.usage.input_tokens": 17,
    "gen_ai.usage.output_tokens": 20,
    "tollgate.cost.quota": 37,
    "tollgate.cost.usd": 37 / dollar,
    "tollgate.channel.id": place.channelId,
    "tollgate.request.id": answer.headers.get("x-request-id"),
    "http.response.status_code": 200,
    "tollgate.attempts": 2,
  });
  const attempts = found.filter((span) => span.parentSpanId === call.spanId);
  expect(
    attempts.map(({ attributes, isError }) => [
      attributes["tollgate.channel.id"],
      attributes["gen_ai.request.model"],
      isError,
      attributes["error.type"],
    ]),
  ).toEqual([
    [brokenChannel, secondTry.name, true, "http-500"],
    [place.channelId, answering.name, false, undefined],
  ]);
  for (const { from, to } of attempts) {
    expect(from).toBeGreaterThanOrEqual(call.from);
    expect(to).toBeLessThanOrEqual(call.to);
    expect(to).toBeGreaterThanOrEqual(from);
  }
  const all = collector.bodies.join("\n");
  expect(all).not.toContain("canary");
  expect(all).not.toContain(spender.key.slice(3));
});

test("failed and refused calls are spans with an error", async () => {
  const failed = await chat(place.origin, { key: spender.key, model: failing.name, stream: false });
  expect(failed.status).toBe(500);
  const [call] = await spansWhere(
    ({ name, kind }) => name === `chat ${failing.name}` && kind === 2,
    1,
  );
  expect(call?.isError).toBeTrue();
  expect(call?.attributes).toMatchObject({
    "http.response.status_code": 500,
    "error.type": "http-500",
  });
  expect(call?.attributes).not.toHaveProperty("tollgate.cost.quota");

  const refused = await chat(place.origin, {
    key: "sk-nobody",
    model: failing.name,
    stream: false,
  });
  expect(refused.status).toBe(401);
  const [refusal] = await spansWhere(({ name }) => name === "chat", 1);
  expect(refusal?.isError).toBeTrue();
  expect(refusal?.attributes["http.response.status_code"]).toBe(401);
});

test("a collector that fails costs no call anything; what it does not take is counted", async () => {
  const before = await metric("tollgate_traces_dropped");
  collector.answerWith(400);
  const calls = Array.from({ length: 20 }, async () => {
    return await chat(place.origin, { key: spender.key, model: plain.name, stream: false });
  });
  expect((await Promise.all(calls)).map(({ status }) => status)).toEqual(Array(20).fill(200));

  await eventually(
    async () => await metric("tollgate_traces_dropped"),
    (dropped) => dropped === before + 20,
    { what: "20 calls are counted as dropped" },
  );
  expect(await metric("tollgate_traces_sent")).toBeGreaterThanOrEqual(2);
});

const operate = join(import.meta.dir, "../../../docs/operate");
const readGuide = (name: string): string => readFileSync(join(operate, name), "utf8");

type Rule = { readonly alert: string; readonly expr: string };
type Dashboard = {
  readonly panels: readonly {
    readonly id: number;
    readonly title: string;
    readonly targets?: readonly { readonly expr: string }[];
  }[];
};

/** Returns the names of the metrics in a text, and the labels that an expression asks of each. */
function named(text: string): { readonly name: string; readonly labels: readonly string[] }[] {
  return [...text.matchAll(/\b((?:tollgate|process)_[a-z_]+)(\{[^}]*\})?/g)].map(
    ([, name = "", labels = ""]) => ({
      name,
      labels: [...labels.matchAll(/([a-z_]+)\s*(?:=|,|\})/g)].map(([, label = ""]) => label),
    }),
  );
}

test("alert rules, dashboard and guide name only metrics and labels that exist", async () => {
  const text = await (await fetch(`${place.origin}/metrics`)).text();
  const types = new Map(
    [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name = "", type = ""]) => [name, type]),
  );
  const samples = text.split("\n").filter((line) => /^(?:tollgate|process)_/.test(line));
  const isKnown = (name: string): boolean => {
    const [, stem = "", part] = /^(.*?)(?:_(bucket|count|sum))?$/.exec(name) ?? [];
    return types.has(name) || (part !== undefined && types.get(stem) === "histogram");
  };
  const hasLabel = (name: string, label: string): boolean =>
    label === "instance" ||
    samples.some((line) => line.startsWith(`${name}{`) && line.includes(`${label}="`));

  // Safe casts: the test fails below when a rule or a panel has no expression.
  const rules = Bun.YAML.parse(readGuide("prometheus-alerts.yaml")) as {
    groups: { rules: Rule[] }[];
  };
  const dashboard = JSON.parse(readGuide("grafana-dashboard.json")) as Dashboard;
  const alerts = rules.groups.flatMap((group) => group.rules.map(({ expr }) => expr));
  const panels = dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));
  expect(alerts.length).toBeGreaterThan(10);
  expect(panels.length).toBeGreaterThan(15);
  expect(new Set(dashboard.panels.map(({ id }) => id)).size).toBe(dashboard.panels.length);

  const inGuide = [...readGuide("monitoring.md").matchAll(/`((?:tollgate|process)_[^`]+)`/g)].map(
    ([, code = ""]) => code,
  );
  expect(inGuide.length).toBeGreaterThan(10);
  const asked = [...alerts, ...panels, ...inGuide].flatMap(named);
  const unknown = asked.flatMap(({ name, labels }) =>
    isKnown(name) ? labels.filter((label) => !hasLabel(sampleOf(name), label)) : [name],
  );
  expect(unknown).toEqual([]);

  const inDashboard = new Set(panels.flatMap(named).map(({ name }) => stemOf(name)));
  expect([...types.keys()].filter((name) => !inDashboard.has(name))).toEqual([]);

  function sampleOf(name: string): string {
    return types.get(name) === "histogram" ? `${name}_bucket` : name;
  }
  function stemOf(name: string): string {
    return types.has(name) ? name : name.replace(/_(bucket|count|sum)$/, "");
  }
});
