/**
 * Connections whose last call was shed. Their clients are asked to come back later, but many ask
 * again at once, and refusing them again and again would take the time of the calls that are
 * answered. So the next request on such a connection is read later: until then it waits in the
 * kernel.
 */

/** How often connections are read again, in milliseconds, and at least how many each time. */
const stepMs = 20;
export const wokenMin = 12;

/** The longest time that a connection rests: what `retry-after` asks the client to wait. */
export const restMaxMs = 1_000;

export type Resting<Client> = {
  add(connection: Client): void;
};

type RestingDeps<Client> = {
  /** Reads the connection again. */
  readonly wake: (connection: Client) => void;
  /** Runs `work` when everything has been read that has arrived by now. */
  readonly afterReading: (work: () => void) => void;
  /** Monotonic milliseconds. */
  readonly nowMs: () => number;
  readonly wait: (ms: number, work: () => void) => void;
};

/** `Client`: the connections, of which nothing else is needed here. */
export function openResting<Client extends { isWoken: boolean }>({
  wake,
  afterReading,
  nowMs,
  wait,
}: RestingDeps<Client>): Resting<Client> {
  // In the order of their rests. A client that disconnects meanwhile is noticed when it is read.
  let resting: { readonly connection: Client; readonly untilMs: number }[] = [];

  function wakeSome(): void {
    const now = nowMs();
    const tired = resting.findIndex(({ untilMs }) => untilMs > now);
    const count = Math.max(wokenMin, tired < 0 ? resting.length : tired);
    const woken = resting.slice(0, count);
    resting = resting.slice(count);
    for (const { connection } of woken) wake(connection);
    // What is read from now on was not sent during the rest.
    afterReading(() => {
      for (const { connection } of woken) connection.isWoken = false;
    });
    if (resting.length > 0) wait(stepMs, wakeSome);
  }

  return {
    add(connection) {
      if (resting.length === 0) wait(stepMs, wakeSome);
      resting.push({ connection, untilMs: nowMs() + restMaxMs });
    },
  };
}
