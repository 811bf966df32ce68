import { expect, test } from "bun:test";
import { eventually } from "#base/testing/waiting.ts";
import type { TracedCall } from "#canonical/call-trace.ts";
import { openTraces, type SentMessage, type TracesMessage } from "./traces-client.ts";

const call: TracedCall = {
  requestId: "r",
  parent: "",
  modality: "chat",
  isStream: false,
  startedAt: 1,
  endedAt: 2,
  firstByteMs: null,
  status: 200,
  fault: "",
  admitted: null,
};

/** Opens traces whose thread does nothing until the test answers for it. */
function openIdle(share: number, random = () => 0.5) {
  const posted: TracesMessage[] = [];
  const thread = {
    onmessage: null as ((event: { data: SentMessage }) => void) | null,
    onerror: null as (() => void) | null,
    postMessage: (message: TracesMessage) => void posted.push(message),
    terminate() {},
  };
  let starts = 0;
  const traces = openTraces({
    share,
    version: "1",
    random,
    // Safe cast: the traces use nothing else of a worker.
    start: () => {
      starts += 1;
      return thread as unknown as Worker;
    },
  });
  const read = (name: string) => traces.gauges.find((gauge) => gauge.name === name)?.read();
  return {
    traces,
    thread,
    posted,
    starts: () => starts,
    sent: () => read("tollgate_traces_sent"),
    dropped: () => read("tollgate_traces_dropped"),
  };
}

test("a share of the calls is traced", () => {
  expect(openIdle(1).traces.takes()).toBeTrue();
  expect(openIdle(0.5, () => 0.49).traces.takes()).toBeTrue();
  expect(openIdle(0.5, () => 0.5).traces.takes()).toBeFalse();
  expect(openIdle(0).traces.takes()).toBeFalse();
});

test("while a collector takes nothing, a bounded number of calls waits and the others are counted", () => {
  const { traces, posted, dropped } = openIdle(1);
  for (let count = 0; count < 10_000; count += 1) traces.ended(call);

  expect(posted.reduce((sum, { calls }) => sum + calls.length, 0)).toBe(4_096);
  expect(dropped()).toBe(10_000 - 4_096);
});

test("calls of a thread that died are counted as dropped, and the next batch starts another", () => {
  const { traces, thread, starts, sent, dropped } = openIdle(1);
  for (let count = 0; count < 512; count += 1) traces.ended(call);
  thread.onmessage?.({ data: { count: 256, isSent: true } });
  thread.onerror?.();
  expect([sent(), dropped()]).toEqual([256, 256]);

  for (let count = 0; count < 256; count += 1) traces.ended(call);
  expect(starts()).toBe(2);
});

test("a batch that keeps the thread is dropped, and another thread sends those behind it", async () => {
  const program = `self.onmessage = ({ data: { calls } }) => {
    while (calls[0].requestId === "stuck");
    self.postMessage({ count: calls.length, isSent: true });
  };`;
  const url = URL.createObjectURL(new Blob([program], { type: "application/javascript" }));
  let starts = 0;
  const traces = openTraces({
    share: 1,
    version: "1",
    random: () => 0.5,
    start: () => {
      starts += 1;
      return new Worker(url);
    },
    taskMaxMs: 1_000,
  });
  const read = (name: string) => traces.gauges.find((gauge) => gauge.name === name)?.read();
  for (const requestId of ["a", "stuck", "b"]) {
    for (let count = 0; count < 256; count += 1) traces.ended({ ...call, requestId });
  }

  await eventually(() => read("tollgate_traces_sent") === 512);
  expect([read("tollgate_traces_dropped"), starts]).toEqual([256, 2]);
  await traces.close();
}, 20_000);
