import { describe, expect, test } from "bun:test";
import { type Batch, idOf, type Operation, type OperationResult } from "./operations.ts";
import { noPace, openQueue, type QueuePace, type SendAnswer } from "./queue.ts";
import { facts, settle } from "./testing/books.ts";

const away: SendAnswer = { kind: "store-failed", reason: "away" };

/** Opens a queue over a stand-in for the database: the test answers each batch with `answer`. */
function openTestQueue(pace?: QueuePace, running = 0) {
  const sent: { readonly batch: Batch; readonly answer: PromiseWithResolvers<SendAnswer> }[] = [];
  const waits: { readonly ms: number; readonly over: () => void }[] = [];
  const refused: string[] = [];
  const states: string[] = [];
  const rejoined: number[] = [];
  let epoch = 1;
  let elapsed = 5_000;
  const queue = openQueue({
    nodeId: "n",
    epoch: () => epoch,
    rejoin: async (ended) => {
      rejoined.push(ended);
      epoch += 1;
    },
    send: (batch) => {
      const answer = Promise.withResolvers<SendAnswer>();
      sent.push({ batch, answer });
      return answer.promise;
    },
    ...(pace === undefined ? {} : { pace, running: () => running }),
    elapsed: () => elapsed,
    wait: (ms) => new Promise((over) => void waits.push({ ms, over })),
    onRefused: (operation, error) => refused.push(`${nameOf(operation)}: ${String(error)}`),
    onStoreState: (failing, reason) => states.push(`${failing} ${reason}`),
  });
  const last = () => {
    const one = sent.at(-1);
    if (one === undefined) throw new Error("nothing was sent");
    return one;
  };
  return {
    queue,
    sent,
    rejoined,
    waits,
    refused,
    states,
    namesOf: (index: number) => sent[index]?.batch.operations.map(nameOf).join(" "),
    async pass(ms: number) {
      elapsed += ms;
      await soon();
    },
    /**
     * Answers the batch that was sent last. `commit` commits it, and each operation gets its own
     * result.
     */
    async answer(answer: "commit" | Error | SendAnswer) {
      const { batch, answer: waiting } = last();
      if (answer instanceof Error) waiting.reject(answer);
      else if (answer !== "commit") waiting.resolve(answer);
      else waiting.resolve({ kind: "committed", results: batch.operations.map(resultOf) });
      await soon();
    },
    async endWait() {
      waits.at(-1)?.over();
      await soon();
    },
  };
}

/** Lets all pending work run, except work that waits for an answer or the clock of the test. */
async function soon(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}

const taken = (amount: number): OperationResult => ({ type: "taken", amount });
const release = (id: string): Operation => ({ type: "release", id, userId: 1, tokenId: 2 });

function nameOf(operation: Operation): string {
  return operation.type === "release" ? operation.id : operation.type;
}

/**
 * Makes a result that is different for each operation, so that a test sees whether each caller gets
 * its own.
 */
function resultOf(operation: Operation): OperationResult {
  return taken(Number(nameOf(operation)));
}

describe("operations on their way to the database", () => {
  test("keep their order, one batch at a time, the next one gathered meanwhile", async () => {
    const { queue, sent, namesOf, answer } = openTestQueue();
    const first = queue.push(release("1"));
    await soon();
    const all = [first];
    for (const id of ["2", "3", "4"]) all.push(queue.push(release(id)));
    await soon();

    expect(sent).toHaveLength(1);
    expect(queue.length()).toBe(3);
    await answer("commit");
    expect(sent).toHaveLength(2);
    await answer("commit");

    expect([namesOf(0), namesOf(1)]).toEqual(["1", "2 3 4"]);
    expect(await Promise.all(all)).toEqual([1, 2, 3, 4].map(taken));
  });

  test("a batch holds 200 at most", async () => {
    const { queue, sent, answer } = openTestQueue();
    for (let id = 0; id <= 501; id += 1) void queue.push(release(String(id)));
    for (let batch = 0; batch < 4; batch += 1) await answer("commit");

    expect(sent.map(({ batch }) => batch.operations.length)).toEqual([1, 200, 200, 101]);
    const order = sent.flatMap(({ batch }) => batch.operations.map(nameOf));
    expect(order).toEqual(Array.from({ length: 502 }, (_, id) => String(id)));
  });

  test("a batch without an answer is sent again, marked as such, until it is committed", async () => {
    const { queue, sent, namesOf, answer, endWait } = openTestQueue();
    const first = queue.push(release("1"));
    await answer(away);
    void queue.push(release("2"));
    await endWait();
    await answer(away);
    await endWait();
    await answer("commit");

    expect(await first).toEqual({ type: "taken", amount: 1 });
    expect(sent.map(({ batch }) => batch.again)).toEqual([false, true, true, false]);
    expect([0, 1, 2, 3].map(namesOf)).toEqual(["1", "1", "1", "2"]);
  });

  test("a batch of an ended epoch is sent again in the new epoch", async () => {
    const { queue, sent, rejoined, states, answer, endWait } = openTestQueue();
    const pushed = queue.push(release("1"));
    await answer({ kind: "fenced" });
    expect(queue.failing()).toBeTrue();
    await endWait();
    await answer("commit");

    expect(await pushed).toEqual({ type: "taken", amount: 1 });
    expect(sent.map(({ batch: { epoch, again } }) => [epoch, again])).toEqual([
      [1, false],
      [2, true],
    ]);
    expect(rejoined).toEqual([1]);
    expect(states).toEqual(["true another node thought this one dead", "false "]);
  });

  test("drained resolves when everything pushed so far is committed", async () => {
    const { queue, answer, endWait } = openTestQueue();
    await queue.drained();
    let drained = false;
    void queue.push(release("1"));
    void queue.push(release("2"));
    void queue.drained().then(() => {
      drained = true;
    });

    await answer(away);
    await endWait();
    await answer("commit");
    expect(drained).toBeFalse();
    await answer("commit");
    expect(drained).toBeTrue();
  });
});

describe("a store that does not commit", () => {
  test("is failing from its first failure until a commit, and each is reported once", async () => {
    const { queue, states, answer, endWait } = openTestQueue();
    void queue.push(release("1"));
    expect(queue.failing()).toBeFalse();
    await answer(away);
    expect(queue.failing()).toBeTrue();
    await endWait();
    await answer(away);
    await endWait();
    expect(queue.failing()).toBeTrue();
    await answer("commit");

    expect(queue.failing()).toBeFalse();
    expect(states).toEqual(["true away", "false "]);
  });

  test("is failing when it does not answer for more than a second", async () => {
    const { queue, pass, answer } = openTestQueue();
    expect(queue.lagMs()).toBe(0);
    void queue.push(release("1"));
    await pass(1_000);
    expect([queue.lagMs(), queue.failing()]).toEqual([1_000, false]);
    await pass(1);
    expect([queue.lagMs(), queue.failing()]).toEqual([1_001, true]);
    await answer("commit");
    expect([queue.lagMs(), queue.failing()]).toEqual([0, false]);
  });

  // That the database refuses an operation shows that it answers again. If the queue still counted
  // as failing then, no new call would start, so no other operation would ever be sent.
  test("stops failing when it refuses an operation that it had not answered before", async () => {
    const { queue, states, answer, endWait } = openTestQueue();
    const refused = queue.push(release("1")).catch((error: unknown) => String(error));
    await answer(away);
    await endWait();
    await answer(new Error("refused"));

    expect(await refused).toBe("Error: refused");
    expect(queue.failing()).toBeFalse();
    expect(states).toEqual(["true away", "false "]);
  });
});

describe("an operation that the database refuses", () => {
  test("is left out and reported; the others of its batch are committed in order", async () => {
    const { queue, sent, refused, namesOf, answer } = openTestQueue();
    void queue.push(release("0"));
    const results = [1, 2, 3].map(
      async (id) => await queue.push(release(String(id))).catch((error: unknown) => String(error)),
    );
    await answer("commit");
    await answer(new Error("one of them is bad"));
    await answer("commit");
    await answer(new Error("2 is bad"));
    await answer("commit");

    expect(await Promise.all(results)).toEqual([
      { type: "taken", amount: 1 },
      "Error: 2 is bad",
      { type: "taken", amount: 3 },
    ]);
    expect(refused).toEqual(["2: Error: 2 is bad"]);
    expect(sent.map((_, index) => namesOf(index))).toEqual(["0", "1 2 3", "1", "2", "3"]);
  });

  // When a batch was sent again because its commit was uncertain, and one of its operations is then
  // refused, the others may have taken effect already, when the batch was sent first.
  test("does not keep the others from being sent again, marked as sent before", async () => {
    const { queue, sent, answer, endWait } = openTestQueue();
    void queue.push(release("0"));
    for (const id of ["1", "2"]) queue.push(release(id)).catch(() => {});
    await answer("commit");
    await answer(away);
    await endWait();
    await answer(new Error("one of them is bad"));
    await answer("commit");
    await answer("commit");

    expect(sent.map(({ batch }) => batch.again)).toEqual([false, false, true, true, true]);
  });

  test("a writer that returns too few results leaves no caller waiting", async () => {
    const { queue, answer } = openTestQueue();
    const result = queue.push(release("1")).catch((error: unknown) => String(error));
    await answer({ kind: "committed", results: [] });
    expect(await result).toContain("fewer results");
  });
});

describe("young reservations", () => {
  const pace: QueuePace = { ...noPace, youngMs: 5, aloneMs: 5 };
  const open = (id: string): Operation => ({ type: "open", facts: facts({ id }), amount: 1 });
  const sentIds = (queue: ReturnType<typeof openTestQueue>): string[] =>
    queue.sent.flatMap(({ batch }) =>
      batch.operations.map((one) => {
        const id = one.type === "open" ? one.facts.id : "id" in one ? one.id : "";
        return `${one.type} ${id}`;
      }),
    );

  test("get no row if their calls end before it is written", async () => {
    const books = openTestQueue(pace);
    const opened = [books.queue.push(open("1")), books.queue.push(open("2"))];
    const released = books.queue.push(release("1"));
    void books.queue.push(settle(3, { id: "2" }));
    await books.answer("commit");

    expect(sentIds(books)).toEqual(["settle 2"]);
    const done: OperationResult = { type: "done" };
    expect(await Promise.all([...opened, released])).toEqual([done, done, done]);
    expect(books.queue.length()).toBe(0);
  });

  test("get a row once they are not young any more, before their calls end", async () => {
    const books = openTestQueue(pace);
    void books.queue.push(open("1"));
    await books.pass(1);
    void books.queue.push(open("2"));
    expect([books.sent.length, books.queue.length()]).toEqual([0, 2]);
    await books.pass(4);
    await books.endWait();
    expect(sentIds(books)).toEqual(["open 1"]);
    void books.queue.push(release("1"));
    await books.answer("commit");
    await books.pass(1);
    await books.answer("commit");
    await books.endWait();

    expect(sentIds(books)).toEqual(["open 1", "release 1", "open 2"]);
  });

  test("are awaited when the process shuts down", async () => {
    const books = openTestQueue(pace);
    void books.queue.push(open("1"));
    let drained = false;
    void books.queue.drained().then(() => {
      drained = true;
    });
    await books.pass(5);
    expect(drained).toBeFalse();
    await books.endWait();
    await books.answer("commit");

    expect(sentIds(books)).toEqual(["open 1"]);
    expect(drained).toBeTrue();
  });
});

test("while many calls end, the next batch waits a moment for more", async () => {
  const { queue, sent, waits, answer, endWait } = openTestQueue({ ...noPace, gatherMs: 2 });
  void queue.push(release("0"));
  for (let id = 1; id <= 8; id += 1) void queue.push(release(String(id)));
  await answer("commit");
  void queue.push(release("9"));
  await answer("commit");
  expect(waits.map(({ ms }) => ms)).toEqual([2]);
  void queue.push(release("10"));
  await endWait();

  expect(sent.map(({ batch }) => batch.operations.length)).toEqual([1, 8, 2]);
});

describe("the end of a stream", () => {
  const pace: QueuePace = { ...noPace, shareMs: 3, shareFrom: 8 };
  const end = (id: string, isStream: boolean): Operation => {
    const one = settle(3, { id });
    return one.type === "settle" ? { ...one, log: { ...one.log, isStream } } : one;
  };
  const streamEnd = (id: string): Operation => end(id, true);

  const sentIds = ({ sent }: ReturnType<typeof openTestQueue>): string[] =>
    sent.map(({ batch }) => batch.operations.map(idOf).join(" "));

  test("shares its commit with others that come in a moment, while many calls run", async () => {
    const books = openTestQueue(pace, 8);
    void books.queue.push(streamEnd("1"));
    void books.queue.push(streamEnd("2"));
    await soon();
    expect([books.sent.length, books.waits.map(({ ms }) => ms)]).toEqual([0, [3]]);
    await books.endWait();

    expect(sentIds(books)).toEqual(["1 2"]);
  });

  test("waits for nobody while few calls run", async () => {
    const { queue, sent, waits } = openTestQueue(pace, 7);
    void queue.push(streamEnd("1"));
    await soon();

    expect([sent.length, waits.length]).toEqual([1, 0]);
  });

  test("keeps no other call waiting", async () => {
    const books = openTestQueue(pace, 8);
    void books.queue.push(end("1", false));
    await soon();
    expect(sentIds(books)).toEqual(["1"]);
  });

  test("and of every other call shares its commit where all do", async () => {
    const books = openTestQueue({ ...pace, shares: "ends" }, 8);
    void books.queue.push(end("1", false));
    await soon();
    void books.queue.push(streamEnd("2"));
    await books.endWait();
    expect(sentIds(books)).toEqual(["1 2"]);
  });

  test("goes with a call that is no stream, at once", async () => {
    const books = openTestQueue(pace, 8);
    void books.queue.push(streamEnd("1"));
    await soon();
    void books.queue.push(end("2", false));
    await soon();

    expect(sentIds(books)).toEqual(["1 2"]);
  });

  test("does not keep a stop, or what has to come behind it, waiting", async () => {
    const stopping = openTestQueue(pace, 8);
    void stopping.queue.push(streamEnd("1"));
    void stopping.queue.drained();
    const judged = openTestQueue(pace, 8);
    void judged.queue.push(streamEnd("2"));
    void judged.queue.passed();
    await soon();

    expect([sentIds(stopping), sentIds(judged)]).toEqual([["1"], ["2"]]);
  });
});
