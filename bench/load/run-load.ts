/** Sends calls over a number of connections and measures how long they take. */

import { type AnswerReader, openAnswerReader } from "./answer-reader.ts";
import type { LoadJob, LoadResult } from "./load-job.ts";
import { latencyOf } from "#bench/statistics.ts";

type Socket = Bun.Socket<Connection>;

type Connection = {
  readonly reader: AnswerReader;
  /** When the call in flight was due; −1: none is in flight. */
  dueMs: number;
  sentMs: number;
  firstByteSeen: boolean;
  /** Bytes of the request that the kernel has not accepted yet. */
  unsent: Buffer;
};

type Load = {
  readonly job: LoadJob;
  readonly requests: readonly Buffer[];
  readonly durationsMs: number[];
  readonly shedMs: number[];
  readonly idle: Socket[];
  /** Due times of calls that wait for a free connection. */
  readonly waitingMs: number[];
  readonly openSockets: Set<Socket>;
  sent: number;
  inFlight: number;
  failed: number;
  reason: string;
  firstByteMaxMs: number;
  readonly endMs: number;
  lastMs: number;
  readonly over: PromiseWithResolvers<void>;
};

/** After this many failures the load stops. */
const failuresMax = 100;
/** A call that takes longer has failed. The slowest answer takes a quarter of this time. */
const answerMaxMs = 60_000;
/** Due calls that may wait for a connection; further ones are dropped. */
const waitingMax = 100_000;
const nothing = Buffer.alloc(0);

export async function runLoad(job: LoadJob): Promise<LoadResult> {
  const startMs = performance.now();
  const load: Load = {
    job,
    requests: [job.request, ...(job.others ?? [])].map((text) => Buffer.from(text)),
    durationsMs: [],
    shedMs: [],
    idle: [],
    waitingMs: [],
    openSockets: new Set(),
    sent: 0,
    inFlight: 0,
    failed: 0,
    reason: "",
    firstByteMaxMs: 0,
    endMs: startMs + job.durationMs,
    lastMs: startMs,
    over: Promise.withResolvers(),
  };
  const opening = Array.from({ length: job.connections }, () => connect(load));
  const pacer = job.callsPerSecond > 0 ? startPacer(load, startMs) : undefined;
  const late = setTimeout(() => {
    fail(load, "no answer in time");
    load.over.resolve();
  }, job.durationMs + answerMaxMs);
  await Promise.all(opening);
  await load.over.promise;
  clearTimeout(late);
  clearInterval(pacer);
  for (const socket of load.openSockets) socket.terminate();
  return {
    calls: load.durationsMs.length,
    failed: load.failed,
    reason: load.reason,
    elapsedMs: load.lastMs - startMs,
    latency: latencyOf(load.durationsMs),
    shed: load.shedMs.length,
    shedLatency: latencyOf(load.shedMs),
    firstByteMaxMs: load.firstByteMaxMs,
    allMs: job.keepsAll === true ? load.durationsMs : [],
  };
}

async function connect(load: Load): Promise<void> {
  try {
    await Bun.connect<Connection>({
      hostname: "127.0.0.1",
      port: load.job.port,
      data: {
        reader: openAnswerReader(load.job.mustContain),
        dueMs: -1,
        sentMs: 0,
        firstByteSeen: false,
        unsent: nothing,
      },
      socket: {
        open(socket) {
          socket.setNoDelay(true);
          load.openSockets.add(socket);
          next(load, socket);
        },
        data: (socket, bytes) => received(load, socket, bytes),
        drain: flush,
        close(socket) {
          load.openSockets.delete(socket);
          if (socket.data.dueMs < 0) return;
          load.inFlight -= 1;
          socket.data.dueMs = -1;
          fail(load, "the connection was closed");
          if (load.failed < failuresMax) void connect(load);
        },
      },
    });
  } catch (error) {
    fail(load, `no connection: ${String(error)}`);
  }
}

function received(load: Load, socket: Socket, bytes: Buffer): void {
  const { data } = socket;
  if (!data.firstByteSeen) {
    data.firstByteSeen = true;
    load.firstByteMaxMs = Math.max(load.firstByteMaxMs, performance.now() - data.sentMs);
  }
  let whole: boolean;
  try {
    whole = data.reader.read(bytes);
  } catch (error) {
    fail(load, String(error));
    socket.terminate();
    return;
  }
  if (!whole) return;
  const nowMs = performance.now();
  load.lastMs = nowMs;
  load.inFlight -= 1;
  const status = data.reader.status();
  if (load.job.mayShed === true && (status === 503 || status === 429)) {
    load.shedMs.push(nowMs - data.sentMs);
  } else if (status !== 200 || !data.reader.found()) {
    fail(load, `status ${status}: ${bytes.toString().slice(0, 300)}`);
  } else {
    load.durationsMs.push(nowMs - (load.job.mayShed === true ? data.sentMs : data.dueMs));
  }
  data.dueMs = -1;
  next(load, socket);
}

/** Sends the next call on the connection, lets it wait for one, or ends the load. */
function next(load: Load, socket: Socket): void {
  if (isOver(load)) {
    if (load.inFlight === 0) load.over.resolve();
  } else if (load.job.callsPerSecond > 0) {
    const dueMs = load.waitingMs.shift();
    if (dueMs === undefined) load.idle.push(socket);
    else send(load, socket, dueMs);
  } else {
    send(load, socket, performance.now());
  }
}

function isOver({ job, sent, endMs, failed }: Load): boolean {
  const isSpent = job.callsMax > 0 && sent >= job.callsMax;
  return isSpent || failed >= failuresMax || performance.now() >= endMs;
}

function send(load: Load, socket: Socket, dueMs: number): void {
  const { data } = socket;
  data.reader.reset();
  data.dueMs = dueMs;
  data.sentMs = performance.now();
  data.firstByteSeen = false;
  data.unsent = load.requests[load.sent % load.requests.length] ?? nothing;
  load.sent += 1;
  load.inFlight += 1;
  flush(socket);
}

function flush(socket: Socket): void {
  const { data } = socket;
  if (data.unsent.length === 0) return;
  const written = Math.max(0, socket.write(data.unsent));
  data.unsent = written >= data.unsent.length ? nothing : data.unsent.subarray(written);
}

/**
 * Sends calls that are due on any free connection. The time that a call waits for a connection is part
 * of its latency, so a slow answer also shows in the calls that it delayed.
 */
function startPacer(load: Load, startMs: number): ReturnType<typeof setInterval> {
  const stepMs = 1_000 / load.job.callsPerSecond;
  let due = 0;
  return setInterval(() => {
    const nowMs = performance.now();
    for (; !isOver(load) && startMs + due * stepMs <= nowMs; due += 1) {
      const socket = takeIdle(load);
      if (socket === undefined && load.waitingMs.length < waitingMax) load.waitingMs.push(nowMs);
      else if (socket === undefined) continue;
      else send(load, socket, nowMs);
    }
    if (isOver(load) && load.inFlight === 0) load.over.resolve();
  }, 1);
}

function takeIdle({ idle, openSockets }: Load): Socket | undefined {
  for (;;) {
    const socket = idle.pop();
    if (socket === undefined || openSockets.has(socket)) return socket;
  }
}

function fail(load: Load, reason: string): void {
  load.failed += 1;
  if (load.reason === "") load.reason = reason;
  if (load.failed >= failuresMax && load.inFlight <= 0) load.over.resolve();
}
