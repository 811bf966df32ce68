/** Sends one request and returns its answer. */

export type Headers = Readonly<Record<string, string>>;

export type Answer = {
  readonly status: number;
  readonly text: string;
  /** The cookie as a browser would send it back; empty: the answer sets none. */
  readonly cookie: string;
};

export type Send = (
  headers: Headers,
  method: string,
  path: string,
  body?: object,
) => Promise<Answer>;

export async function send(
  origin: string,
  headers: Headers,
  method: string,
  path: string,
  body?: object,
): Promise<Answer> {
  const response = await fetch(origin + path, {
    method,
    headers: { "content-type": "application/json", ...headers },
    redirect: "manual",
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const cookies = response.headers.getSetCookie().map((one) => one.split(";")[0]);
  return { status: response.status, text: await response.text(), cookie: cookies.join("; ") };
}

type Envelope = {
  readonly success?: boolean;
  /** A few answers have `code` in place of `success`. */
  readonly code?: boolean;
  readonly message?: string;
  readonly data?: unknown;
};

/** Returns the envelope of a console answer; empty when the answer is not JSON. */
export function envelopeOf({ text }: Answer): Envelope {
  try {
    // Safe cast: whoever reads a field of the envelope checks its type.
    return JSON.parse(text) as Envelope;
  } catch {
    return {};
  }
}

/** Returns the `data` of a successful answer. Throws when the call was refused. */
export function dataOf<Data>(answer: Answer): Data {
  const { success, data } = envelopeOf(answer);
  if (success !== true) throw new Error(`${answer.status} ${answer.text}`);
  // Safe cast: callers name the data that they expect, and assert on it.
  return data as Data;
}
