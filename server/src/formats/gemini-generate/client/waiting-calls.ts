/** The calls of a conversation that wait for their results. The format often has no ids. */

type Call = { readonly callId: string; readonly name: string };

type Waiting = Call & { isTaken: boolean };

/** Calls in their order, of which those before `next` are taken. */
type Queue = { readonly calls: Waiting[]; next: number };

export type WaitingCalls = {
  add(call: Call): void;
  /** Takes the oldest call with the id. Undefined: none waits. */
  takeById(id: string): Call | undefined;
  /**
   * Takes the oldest call of the name, or if there is no such name, the oldest of all: some clients
   * name all functions alike.
   */
  takeByName(name: string): Call | undefined;
};

export function openWaitingCalls(): WaitingCalls {
  const all = newQueue();
  const byId = new Map<string, Queue>();
  const byName = new Map<string, Queue>();
  return {
    add({ callId, name }) {
      const call = { callId, name, isTaken: false };
      all.calls.push(call);
      queueOf(byId, callId).calls.push(call);
      queueOf(byName, name).calls.push(call);
    },
    takeById: (id) => take(byId.get(id)),
    takeByName: (name) => take(byName.get(name)) ?? take(all),
  };
}

function newQueue(): Queue {
  return { calls: [], next: 0 };
}

function queueOf(queues: Map<string, Queue>, key: string): Queue {
  const known = queues.get(key);
  if (known !== undefined) return known;
  const made = newQueue();
  queues.set(key, made);
  return made;
}

/** Takes the first call that another queue has not taken. */
function take(queue: Queue | undefined): Call | undefined {
  if (queue === undefined) return undefined;
  while (queue.calls[queue.next]?.isTaken === true) queue.next += 1;
  const call = queue.calls[queue.next];
  if (call !== undefined) call.isTaken = true;
  return call;
}
