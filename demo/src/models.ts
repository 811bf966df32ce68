/** The demo upstream's built-in models, and the scripts registered for others. */

import { type DemoScript, scriptOfCall } from "./script.ts";

/** Scripts of the models that answer as asked, one of each API among them. */
const soundScripts: Readonly<Record<string, DemoScript>> = {
  "demo-chat": { eventDelayMs: 15 },
  "demo-embed": {},
  "demo-fast": {},
  "demo-gemini": { eventDelayMs: 15 },
  "demo-messages": { eventDelayMs: 15 },
  "demo-responses": { eventDelayMs: 15 },
  "demo-slow": { eventDelayMs: 1_000 },
  "demo-think": { eventDelayMs: 15, reasoningEvents: 12 },
};

const scriptedError = {
  message: "Scripted error inside a stream of the demo upstream.",
  type: "server_error",
  code: "overloaded",
};

/** Scripts of the models that fail, each in its own way. */
export const faultScripts: Readonly<Record<string, DemoScript>> = {
  "demo-cut": { eventDelayMs: 15, cut: { after: 10, how: "reset" } },
  "demo-error": { status: 500 },
  "demo-error-first": { errorEvent: { after: 0, error: scriptedError } },
  "demo-error-midway": { eventDelayMs: 15, errorEvent: { after: 10, error: scriptedError } },
  "demo-late-arguments": { eventDelayMs: 15, lateArguments: true },
  "demo-limited": { status: 429, retryAfter: "5" },
  "demo-silent": { eventDelayMs: 15, cut: { after: 10, how: "silence" } },
  "demo-slow-start": { headDelayMs: 5_000, eventDelayMs: 15 },
  "demo-wrong-usage": { eventDelayMs: 15, promptTokens: 900_000_000 },
};

/**
 * Scripts by the names of their models. Delays make streams visible; benchmarks call `demo-fast`.
 */
export const builtInScripts: Readonly<Record<string, DemoScript>> = {
  ...soundScripts,
  ...faultScripts,
};

/** The largest number of registered scripts, and of models whose calls are counted. */
const scriptsMax = 1_000;

export type Scripts = {
  /** Registers a script for a model. Returns false if too many scripts are registered. */
  register(model: string, script: DemoScript): boolean;
  unregister(model: string): boolean;
  isRegistered(model: string): boolean;
  /** Returns the names of all models, sorted. */
  models(): string[];
  /** Returns the script of a model; undefined: it has none. */
  find(model: string): DemoScript | undefined;
  /**
   * Returns the script to use for this call. If the script lets only some calls fail, this also
   * counts the call.
   */
  ofCall(model: string, script: DemoScript): DemoScript;
  /** Resolves when held answers of the model may go on. */
  released(model: string): Promise<void>;
  /**
   * Releases the model's held answers, and those of later calls, until a new script is registered.
   */
  release(model: string): void;
};

export function openScripts(): Scripts {
  const registered = new Map<string, DemoScript>();
  const callCounts = new Map<string, number>();
  const gates = new Map<string, PromiseWithResolvers<void>>();
  const gateOf = (model: string): PromiseWithResolvers<void> => {
    if (gates.size >= scriptsMax && !gates.has(model)) gates.clear();
    const gate = gates.get(model) ?? Promise.withResolvers<void>();
    gates.set(model, gate);
    return gate;
  };
  const find = (model: string): DemoScript | undefined =>
    registered.get(model) ??
    (Object.hasOwn(builtInScripts, model) ? builtInScripts[model] : undefined);

  return {
    register(model, script) {
      if (!registered.has(model) && registered.size >= scriptsMax) return false;
      registered.set(model, script);
      callCounts.delete(model);
      gates.delete(model);
      return true;
    },
    unregister(model) {
      callCounts.delete(model);
      return registered.delete(model);
    },
    isRegistered: (model) => registered.has(model),
    models: () => [...new Set([...Object.keys(builtInScripts), ...registered.keys()])].toSorted(),
    find,
    ofCall(model, script) {
      if (script.failEvery === undefined && script.failRatio === undefined) return script;
      if (callCounts.size >= scriptsMax && !callCounts.has(model)) callCounts.clear();
      const ordinal = (callCounts.get(model) ?? 0) + 1;
      callCounts.set(model, ordinal);
      return scriptOfCall(script, ordinal);
    },
    released: (model) => gateOf(model).promise,
    release: (model) => gateOf(model).resolve(),
  };
}
