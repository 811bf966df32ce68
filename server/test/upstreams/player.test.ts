import { expect, test } from "bun:test";
import type { Connection } from "@tollgate/demo/connection.ts";
import { play } from "@tollgate/demo/player.ts";
import type { Step } from "@tollgate/demo/steps.ts";

const pieceBytes = 1_000;
const bytes = "x".repeat(pieceBytes);

/** Returns endless pieces, and a function that says how many were requested so far. */
function endless(): { steps: Iterable<Step>; made(): number } {
  let made = 0;
  function* pieces(): Generator<Step> {
    for (;;) {
      made += 1;
      yield { kind: "bytes", bytes, pieces: 1 };
    }
  }
  return { steps: pieces(), made: () => made };
}

/**
 * Opens a fake connection whose kernel accepts `roomBytes` bytes, and more whenever `take` is
 * called.
 */
function openPipe(roomBytes: number) {
  let taken = 0;
  let handed = 0;
  let room = roomBytes;
  let closed = false;
  let wake = (): void => {};
  const move = (): boolean => {
    taken = Math.min(handed, room);
    return taken === handed;
  };
  const connection: Connection = {
    remoteAddress: "127.0.0.1",
    isClosed: () => closed,
    takenBytes: () => taken,
    send(sent) {
      handed += sent.length;
      return move();
    },
    isStalled: () => !closed && taken < handed,
    drained: () => new Promise((done) => (wake = done)),
    pause: () => new Promise((done) => void setImmediate(done)),
    gone: () => Promise.resolve(),
    takeOver() {},
    finish() {},
    reset() {},
  };
  return {
    connection,
    take(more: number) {
      room += more;
      move();
      wake();
    },
    close() {
      closed = true;
      wake();
    },
  };
}

function openCounter() {
  const told = { pieces: 0 };
  return {
    told,
    progress: {
      wroteHead() {},
      wroteUsage() {},
      wrotePieces(count: number) {
        told.pieces += count;
      },
    },
  };
}

const turns = async (count: number): Promise<void> => {
  for (let turn = 0; turn < count; turn += 1) await new Promise((done) => setImmediate(done));
};

test("nothing more is made while the client does not read", async () => {
  const pipe = openPipe(0);
  const { steps, made } = endless();
  const { told, progress } = openCounter();
  const playing = play(pipe.connection, steps, progress);
  await turns(100);
  const madeAtFirst = made();
  expect(madeAtFirst).toBeLessThan(100); // no more than one write gathers
  expect(told.pieces).toBe(0);

  pipe.take(2_500);
  await turns(100);
  expect(made()).toBe(madeAtFirst);
  expect(told.pieces).toBe(2); // the kernel did not accept all of the third piece

  pipe.take(1_000_000);
  await turns(100);
  expect(made()).toBeGreaterThan(madeAtFirst);
  expect(told.pieces).toBeGreaterThan(900);

  pipe.close();
  expect(await playing).toBe("aborted");
  expect(told.pieces).toBe(1_002); // as many whole pieces as fit into 1,002,500 bytes
});

// If the loop that writes an endless answer never yielded, it would never notice that the client is
// gone.
test("an endless answer yields to other connections", async () => {
  const pipe = openPipe(Number.MAX_SAFE_INTEGER);
  const { steps, made } = endless();
  const { progress } = openCounter();
  const bounded = (function* (): Generator<Step> {
    for (const step of steps) {
      if (made() > 1_000_000) return;
      yield step;
    }
  })();
  const playing = play(pipe.connection, bounded, progress);
  await turns(3);
  pipe.close();

  expect(await playing).toBe("aborted");
  expect(made()).toBeLessThan(1_000_000);
});
