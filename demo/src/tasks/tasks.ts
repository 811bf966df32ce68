/**
 * Scripted asynchronous tasks: pictures, songs and videos that take some seconds. Words in the
 * prompt choose what happens, so that a test or a visitor can see each end:
 *
 * - `fail`: the task fails at half of its time. `lie`: it succeeds, then says that it failed.
 * - `back`: its progress goes back. `silent`: the submission is never answered in full.
 * - `busy`: the submission is refused with 429. `banned`: it is refused for its words.
 * - `twin`: the answer names the task that was submitted before. `endless`: it never ends.
 * - `nobody`: a drawing is refused because the server has no account.
 * - `quick`: it ends at once. Everything else ends after `taskMs`.
 */

/** How long a task takes, in milliseconds. */
const taskMs = 12_000;

export type DemoTask = {
  readonly id: string;
  readonly platform: string;
  readonly action: string;
  readonly prompt: string;
  readonly model: string;
  /** Where the client wants to be told of it; empty: nowhere. */
  readonly notifyHook: string;
  readonly size: string;
  readonly seconds: number;
  readonly startedMs: number;
  /** How often it was asked for. */
  asked: number;
};

/** How far a task is: 0 to 100. */
export type DemoState = {
  readonly status: "failed" | "queued" | "running" | "succeeded";
  readonly progress: number;
};

export type DemoTasks = {
  add(task: Omit<DemoTask, "asked" | "id" | "startedMs">): DemoTask;
  find(id: string): DemoTask | undefined;
  /** The task that was added last; undefined: none. */
  last(): DemoTask | undefined;
  stateOf(task: DemoTask): DemoState;
};

/** The most tasks that are remembered. */
const tasksMax = 10_000;

export function openTasks(now: () => number): DemoTasks {
  const tasks = new Map<string, DemoTask>();
  let count = 0;
  let last: DemoTask | undefined;
  return {
    add(given) {
      count += 1;
      const task = { ...given, id: `demo-${now()}-${count}`, startedMs: now(), asked: 0 };
      tasks.set(task.id, task);
      const [oldest] = tasks.keys();
      if (tasks.size > tasksMax && oldest !== undefined) tasks.delete(oldest);
      last = task;
      return task;
    },
    find: (id) => tasks.get(id),
    last: () => last,
    stateOf(task) {
      task.asked += 1;
      return stateAt(task, now() - task.startedMs);
    },
  };
}

export function has(prompt: string, word: string): boolean {
  return prompt
    .toLowerCase()
    .split(/[^a-z]+/)
    .includes(word);
}

function stateAt({ prompt, asked }: DemoTask, ms: number): DemoState {
  const whole = has(prompt, "quick") ? 1 : taskMs;
  const share = Math.min(1, ms / whole);
  if (has(prompt, "fail") && share >= 0.5) return { status: "failed", progress: 50 };
  if (has(prompt, "lie") && share >= 1 && asked > 1) return { status: "failed", progress: 100 };
  if (share >= 1 && !has(prompt, "endless")) return { status: "succeeded", progress: 100 };
  if (share < 0.1) return { status: "queued", progress: 0 };
  const progress = Math.floor(Math.min(0.95, share) * 100);
  const goesBack = has(prompt, "back") && asked % 3 === 0;
  return { status: "running", progress: goesBack ? Math.floor(progress / 3) : progress };
}
