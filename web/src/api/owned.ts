/**
 * What a configuration file owns: before a call changes it, the user is asked. The file would put it
 * back at its next run.
 */

/** What a call changes: channels by id, options and models by name. */
export type Touched =
  | { readonly kind: "channel"; readonly ids: readonly number[] }
  | { readonly kind: "model" | "option"; readonly names: readonly string[] };

/** Asks the user whether to change what a file owns; true also if no file owns it. */
type Ask = (touched: Touched) => Promise<boolean>;

let ask: Ask = () => Promise.resolve(true);

/** Registers the function that asks the user, by a dialog. */
export function provideOwnedQuestion(next: Ask): void {
  ask = next;
}

/** What each call changes, by method and path. */
const changes: Readonly<Record<string, (input: object) => Touched>> = {
  "DELETE /api/channel/:id": channelOf,
  "POST /api/channel/batch": channelsOf,
  "POST /api/channel/batch/status": channelsOf,
  "POST /api/channel/batch/tag": channelsOf,
  "POST /api/prices/apply": (input) => modelsOf(listIn(input, "entries")),
  "PUT /api/channel/": channelOf,
  "PUT /api/option/": (input) => ({ kind: "option", names: [String(Reflect.get(input, "key"))] }),
  "PUT /api/prices/": (input) => modelsOf(listIn(input, "books")),
};

/**
 * Whether a call may be made: it changes nothing that a file could own, which is known at once, or
 * the user agrees.
 */
export function mayChange(
  { method, path }: { readonly method: string; readonly path: string },
  input: object,
): Promise<boolean> | true {
  const touched = changes[`${method} ${path}`];
  return touched === undefined || ask(touched(input));
}

function channelOf(input: object): Touched {
  return { kind: "channel", ids: [Number(Reflect.get(input, "id"))] };
}

function channelsOf(input: object): Touched {
  return { kind: "channel", ids: listIn(input, "ids").map(Number) };
}

function modelsOf(entries: readonly unknown[]): Touched {
  return { kind: "model", names: entries.map((entry) => String(Object(entry).model)) };
}

function listIn(input: object, name: string): readonly unknown[] {
  const list: unknown = Reflect.get(input, name);
  return Array.isArray(list) ? list : [];
}
