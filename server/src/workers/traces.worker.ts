/**
 * Sends traces to a collector on its own thread, so that neither making spans nor a slow collector
 * touches a call. The exporter reads the address, headers, time limit and compression from the
 * environment (`OTEL_EXPORTER_OTLP_…`).
 */

import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { defaultResource, resourceFromAttributes } from "@opentelemetry/resources";
import { AlwaysOnSampler, type ReadableSpan, TracerProvider } from "@opentelemetry/sdk-trace";
import { addSpans } from "./call-spans.ts";
import type { SentMessage, TracesMessage } from "./traces-client.ts";

declare const self: {
  onmessage: ((event: MessageEvent<TracesMessage>) => void) | null;
  postMessage(message: SentMessage): void;
};

let ended: ReadableSpan[] = [];
const exporter = new OTLPTraceExporter();
let sending = Promise.resolve();

self.onmessage = ({ data }) => {
  // One request at a time: the collector decides the pace, and the client drops what is too much.
  sending = sending.then(async () => await send(data));
};

async function send({ calls, version }: TracesMessage): Promise<void> {
  const tracer = tracerOf(version);
  for (const call of calls) addSpans(tracer, call);
  const spans = ended;
  ended = [];
  const isSent = await new Promise<boolean>((resolve) => {
    exporter.export(spans, ({ code }) => resolve(code === 0));
  });
  self.postMessage({ count: calls.length, isSent });
}

let provider: TracerProvider | undefined;

function tracerOf(version: string) {
  provider ??= new TracerProvider({
    sampler: new AlwaysOnSampler(),
    resource: defaultResource().merge(
      resourceFromAttributes({
        "service.name": process.env["OTEL_SERVICE_NAME"] ?? "tollgate",
        "service.version": version,
      }),
    ),
    spanProcessors: [
      {
        onStart() {},
        onEnd: (span) => void ended.push(span),
        forceFlush: async () => await Promise.resolve(),
        shutdown: async () => await Promise.resolve(),
      },
    ],
  });
  return provider.getTracer("tollgate", version);
}
