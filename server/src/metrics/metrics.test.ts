import { expect, test } from "bun:test";
import { openMetrics } from "./metrics.ts";

const whole = {
  stream: false,
  status: 200,
  durationMs: 30,
  firstByteMs: null,
  inputTokens: 5,
  outputTokens: 0,
};

test("operators find every ended call in the metrics, by status, kind and duration", async () => {
  const metrics = openMetrics([], { version: "1", commit: "" });
  metrics.relay.callEnded(whole);
  metrics.relay.callEnded({ ...whole, status: 503 });
  metrics.relay.callEnded({
    ...whole,
    stream: true,
    durationMs: 400_000,
    firstByteMs: 50,
    outputTokens: 7,
  });
  const lines = (await metrics.text()).split("\n");
  expect(lines).toContain('tollgate_calls_total{status="2xx",stream="false"} 1');
  expect(lines).toContain('tollgate_calls_total{status="5xx",stream="false"} 1');
  expect(lines).toContain('tollgate_calls_total{status="2xx",stream="true"} 1');
  expect(lines).toContain('tollgate_tokens_total{direction="input"} 15');
  expect(lines).toContain('tollgate_tokens_total{direction="output"} 7');
  expect(lines).toContain("# TYPE tollgate_call_seconds histogram");
  // 30 ms lie above the bound of 20 ms; the buckets are cumulative.
  expect(lines).toContain('tollgate_call_seconds_bucket{le="0.02",stream="false"} 0');
  expect(lines).toContain('tollgate_call_seconds_bucket{le="0.05",stream="false"} 2');
  expect(lines).toContain('tollgate_call_seconds_bucket{le="+Inf",stream="false"} 2');
  expect(lines).toContain('tollgate_call_seconds_sum{stream="false"} 0.06');
  expect(lines).toContain('tollgate_call_seconds_count{stream="false"} 2');
  // Longer than the last bound: only in the bucket without one.
  expect(lines).toContain('tollgate_call_seconds_bucket{le="300",stream="true"} 0');
  expect(lines).toContain('tollgate_call_seconds_bucket{le="+Inf",stream="true"} 1');
  expect(lines).toContain('tollgate_first_byte_seconds_bucket{le="0.05",stream="true"} 1');
  expect(lines).not.toContain('tollgate_first_byte_seconds_count{stream="false"} 2');
});

test("counters keep growing between two scrapes, and a duration on a bound is in its bucket", async () => {
  const metrics = openMetrics([], { version: "1", commit: "" });
  metrics.relay.settleLag(10);
  metrics.relay.callsOpen(1);
  metrics.relay.callsOpen(1);
  await metrics.text();
  metrics.relay.callEnded(whole);
  metrics.relay.callsOpen(-1);
  metrics.relay.callEnded(whole);
  await metrics.text();
  const lines = (await metrics.text()).split("\n");
  expect(lines).toContain('tollgate_calls_total{status="2xx",stream="false"} 2');
  expect(lines).toContain("tollgate_calls_open 1");
  expect(lines).toContain('tollgate_settle_seconds_bucket{le="0.005"} 0');
  expect(lines).toContain('tollgate_settle_seconds_bucket{le="0.01"} 1');
  expect(lines).toContain("tollgate_settle_seconds_count 1");
});

test("a channel's faults are counted under a bounded number of labels", async () => {
  const metrics = openMetrics([], { version: "1", commit: "" });
  for (let id = 1; id <= 1_001; id += 1) metrics.relay.channelFault(id, "some-new-code");
  const text = await metrics.text();
  expect(text).toContain('tollgate_channel_faults_total{channel="1000",code="other"} 1');
  expect(text).toContain('tollgate_channel_faults_total{channel="other",code="other"} 1');
});
