import type { Endpoint } from "@tollgate/contract/endpoints/endpoint.ts";
import type { KeptLanguage } from "@tollgate/contract/words/languages.ts";
import type { Role } from "@tollgate/contract/endpoints/users.ts";
import type { z } from "zod";
import { Refusal } from "#base/refusal.ts";

/** Who makes a console call, determined before the handler runs. */
export type Caller = {
  /** 0: not signed in. */
  readonly userId: number;
  readonly role: Role | 0;
  /** Empty: not signed in. */
  readonly username: string;
  /**
   * Who makes the call, where it is made for an organisation: the fields above are then those of the
   * organisation's account.
   */
  readonly person?: { readonly userId: number; readonly username: string };
  /** The client's address; see `proxies.ts`. */
  readonly clientIp: string;
  /** Hash of the session; null: there is none, or the call came with an access token. */
  readonly sessionId: string | null;
  readonly requestId: string;
  /**
   * The language stored with the account, otherwise the one that the request prefers; `""` or
   * absent: not known.
   */
  readonly language?: KeptLanguage;
  /** The `User-Agent` header; absent: the client did not send one. */
  readonly userAgent?: string;
  /** The API key of the call as it was sent; absent: none. */
  readonly tokenKey?: string;
  /**
   * Hash of the cookie that identifies the browser while it signs in at an OAuth provider. Absent:
   * the browser has no such cookie.
   */
  readonly browserKey?: string;
  /** The marks of the browser's device, as it sent them. Absent: it has none. */
  readonly deviceMarks?: string;
  /** Whether the browser uses HTTPS, as far as the server knows. */
  readonly secure?: boolean;
};

/** One value of the header `Set-Cookie`, or several. */
export type SetCookie = string | readonly string[];

/** What an answer may have besides its data. */
type ReplyParts = {
  /** The field `message` of the answer; consoles display some messages and compare others. */
  readonly message?: string;
  /** Set for an answer that reports a failure but has extras, which a refusal cannot have. */
  readonly success?: false;
  /** The input field that such a failure is about. */
  readonly field?: string;
  /** Values of `Set-Cookie` headers. */
  readonly setCookie?: SetCookie;
  /**
   * The path on this server to redirect the browser to, for the few calls that a browser makes by
   * opening a page.
   */
  readonly redirect?: `/${string}`;
  /** The whole answer of an endpoint that is `raw`. */
  readonly plain?: PlainAnswer;
  /** The whole answer of an endpoint that is `pushed`. */
  readonly events?: AsyncIterable<unknown>;
};

/** An answer in plain text, for the server of another company. */
type PlainAnswer = { readonly status: number; readonly text: string };

const isReply = Symbol("reply");

/** The result of a handler that returns more than data; made only by `reply` and `withExtras`. */
export type Reply<Data, Extras> = ReplyParts & {
  readonly [isReply]: true;
  readonly data: Data;
  /** Fields of the answer beside `data`, checked against the endpoint's `extras`. */
  readonly extras: Extras;
};

/** Makes a handler's result of data and other parts of the answer. */
export function reply<Data>(data: Data, parts: ReplyParts): Reply<Data, undefined>;
export function reply<Data, Extras>(
  data: Data,
  parts: ReplyParts & { readonly extras: Extras },
): Reply<Data, Extras>;
export function reply(
  data: unknown,
  parts: ReplyParts & { readonly extras?: unknown },
): Reply<unknown, unknown> {
  return { extras: undefined, ...parts, [isReply]: true, data };
}

/** Makes a handler's result of data and the fields that the endpoint declares as `extras`. */
export function withExtras<Data, Extras>(data: Data, extras: Extras): Reply<Data, Extras> {
  return reply(data, { extras });
}

/** Whether a handler returned a `Reply` and not just data. */
export function isReplyValue(value: unknown): value is Reply<unknown, unknown> {
  return typeof value === "object" && value !== null && isReply in value;
}

/** Makes the result of the handler of an endpoint that is `raw`. */
export function textReply(plain: PlainAnswer): Reply<void, undefined> {
  return reply<void>(undefined, { plain });
}

/**
 * Makes the result of the handler of an endpoint that is `pushed`.
 *
 * @param events are ended by `return` when the reader leaves.
 */
export function pushReply<Data>(events: AsyncIterable<Data>): Reply<Data, undefined> {
  // Safe cast: the data of such an answer are those of its events.
  return reply<Data>(undefined as Data, { events });
}

/** An endpoint together with the code that answers it. */
export type Handler = {
  readonly endpoint: Endpoint;
  /**
   * Answers the endpoint: takes raw input and returns checked output, which is data or a `Reply`.
   * Throws `Refusal` for an expected refusal.
   */
  run(input: unknown, caller: Caller): Promise<unknown>;
};

/** What a handler may return: extras are required if the contract declares them. */
type Answer<Data, Extras extends z.ZodObject | undefined> = Extras extends z.ZodObject
  ? Reply<Data, z.input<Extras>>
  : Data | Reply<Data, undefined>;

/**
 * Makes the handler of an endpoint from the function that answers it. Input is parsed first. Output
 * is parsed too, because the contract is an allow-list: a column added to a table cannot leak into
 * an answer.
 */
export function handle<
  Input extends z.ZodObject,
  Output extends z.ZodType,
  Extras extends z.ZodObject | undefined,
>(
  endpoint: Endpoint<Input, Output, Extras>,
  answer: (input: z.output<Input>, caller: Caller) => Promise<Answer<z.input<Output>, Extras>>,
): Handler {
  return {
    endpoint,
    async run(input, caller) {
      const parsed = endpoint.input.safeParse(input, { error: nameField });
      if (!parsed.success) {
        const [issue] = parsed.error.issues;
        const field = issue?.path[0];
        throw new Refusal("invalid-input", issue?.message ?? "无效的参数", {
          field: typeof field === "string" ? field : undefined,
        });
      }
      const answered: unknown = await answer(parsed.data, caller);
      if (!isReplyValue(answered)) return endpoint.output.parse(answered);
      const { events } = answered;
      if (events !== undefined) return { ...answered, events: parsedEach(endpoint.output, events) };
      return {
        ...answered,
        data: endpoint.output.parse(answered.data),
        extras: endpoint.extras?.parse(answered.extras),
      };
    },
  };
}

/** Checks each event of an answer against the contract, as the data of other answers are. */
async function* parsedEach(output: z.ZodType, events: AsyncIterable<unknown>) {
  for await (const event of events) yield output.parse(event);
}

/** Returns the message for invalid input where the contract has none for the field. */
function nameField(issue: { readonly path?: PropertyKey[] | undefined }): string {
  return `无效的参数：${issue.path?.join(".")}`;
}
