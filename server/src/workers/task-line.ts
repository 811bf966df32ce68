/**
 * Gives tasks to a thread, which does one after the other. A thread that a task keeps for too long,
 * or kills, is replaced: this task fails, and a new thread gets those behind it.
 */

export type LineTask = {
  send(to: Worker, id: number): void;
  /** It has kept or killed the thread, or the line was closed. */
  fail(): void;
  /** Called before another thread gets it; false: nobody waits for it any more. */
  again(): boolean;
};

type LineOptions<Task, Answer> = {
  readonly start: () => Worker;
  /** How long a task may take, in milliseconds: the first of a thread waits until it has loaded. */
  readonly maxMs: { readonly first: number; readonly later: number };
  /** The id of the task that an answer is for; absent: of the oldest one. */
  readonly idOf?: (answer: Answer) => number;
  onAnswer(task: Task | undefined, answer: Answer): void;
  /** Nothing is left to do. */
  onIdle(): void;
};

export function openTaskLine<Task extends LineTask, Answer>(options: LineOptions<Task, Answer>) {
  /** In the order in which the thread got them. */
  const tasks = new Map<number, Task>();
  let worker: Worker | undefined;
  let hasAnswered = false;
  let late: ReturnType<typeof setTimeout> | undefined;
  let lastId = 0;

  function end(): void {
    clearTimeout(late);
    worker?.terminate();
    worker = undefined;
    hasAnswered = false;
  }

  function replace(): void {
    end();
    const [[id, bad] = []] = tasks;
    if (id !== undefined) tasks.delete(id);
    bad?.fail();
    for (const [other, task] of tasks) {
      if (task.again()) task.send(running(), other);
      else tasks.delete(other);
    }
    watch();
  }

  /** Counts the time of the task that the thread does now. */
  function watch(): void {
    clearTimeout(late);
    const { first, later } = options.maxMs;
    if (tasks.size === 0) options.onIdle();
    else late = setTimeout(replace, hasAnswered ? later : first);
  }

  function running(): Worker {
    if (worker !== undefined) return worker;
    const started = options.start();
    worker = started;
    started.onmessage = ({ data }: MessageEvent<Answer>) => {
      if (worker !== started) return;
      hasAnswered = true;
      const [oldest = 0] = tasks.keys();
      const id = options.idOf?.(data) ?? oldest;
      const task = tasks.get(id);
      tasks.delete(id);
      options.onAnswer(task, data);
      watch();
    };
    started.onerror = () => {
      if (worker === started) replace();
    };
    return started;
  }

  return {
    add(task: Task): void {
      const id = (lastId += 1);
      tasks.set(id, task);
      task.send(running(), id);
      if (tasks.size === 1) watch();
    },
    /** Starts the thread in advance. */
    warm: () => void running(),
    size: () => tasks.size,
    close(): void {
      end();
      const left = [...tasks.values()];
      tasks.clear();
      for (const task of left) task.fail();
    },
  };
}
