import type { Endpoint } from "@tollgate/contract/endpoint.ts";
import type { KeptLanguage } from "@tollgate/contract/languages.ts";
import type { Role } from "@tollgate/contract/users.ts";
import type { z } from "zod";
import { Refusal } from "#base/refusal.ts";

/** The caller, as established before any handler runs. */
export type Caller = {
  /** 0: not signed in. */
  readonly userId: number;
  readonly role: Role | 0;
  /** Empty: not signed in. */
  readonly username: string;
  /** The client's address; see `proxies.ts`. */
  readonly clientIp: string;
  /** Hash of the session; null: none, or called with an access token. */
  readonly sessionId: string | null;
  readonly requestId: string;
  /** The language stored with the account, otherwise the request's; `""` and absent: not known. */
  readonly language?: KeptLanguage;
  /** Absent: the client did not send one. */
  readonly userAgent?: string;
  /** The API key of the call as it was sent; absent: none. */
  readonly tokenKey?: string;
  /**
   * Hash that identifies the browser while it signs in at an OAuth provider. Absent: the browser
   * has no id.
   */
  readonly browserKey?: string;
  /** Whether the browser uses HTTPS, as far as the server knows. */
  readonly secure?: boolean;
};

/** The parts of an answer besides its data. */
type ReplyParts = {
  /** The envelope's `message`; consoles display or test some of them. */
  readonly message?: string;
  /** The answer is negative but has extras. */
  readonly success?: false;
  /** Value of a `Set-Cookie` header. */
  readonly setCookie?: string;
  /** A local path to redirect the browser to, for the few calls that are navigations. */
  readonly redirect?: `/${string}`;
};

const isReply = Symbol("reply");

/** Data with other parts of the answer; made only by `reply` and `withExtras`. */
export type Reply<Data, Extras> = ReplyParts & {
  readonly [isReply]: true;
  readonly data: Data;
  /** Fields beside `data`, checked against the endpoint's `extras`. */
  readonly extras: Extras;
};

/** Data with other parts of the answer. */
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

/** Data with the endpoint's `extras`. */
export function withExtras<Data, Extras>(data: Data, extras: Extras): Reply<Data, Extras> {
  return reply(data, { extras });
}

/** Whether a handler's result is a `Reply`. */
export function isReplyValue(value: unknown): value is Reply<unknown, unknown> {
  return typeof value === "object" && value !== null && isReply in value;
}

/** An endpoint with the code that answers it. */
export type Handler = {
  readonly endpoint: Endpoint;
  /**
   * Takes raw input and returns checked output: data, or a `Reply` with more. Throws `Refusal` for
   * an expected refusal.
   */
  run(input: unknown, caller: Caller): Promise<unknown>;
};

/** What a handler may return: extras are required if the contract declares them. */
type Answer<Data, Extras extends z.ZodObject | undefined> = Extras extends z.ZodObject
  ? Reply<Data, z.input<Extras>>
  : Data | Reply<Data, undefined>;

/**
 * Binds `answer` to an endpoint. Input is parsed first. Output is parsed too, because the contract
 * is an allow-list: a column added to a table cannot leak into an answer.
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
      return {
        ...answered,
        data: endpoint.output.parse(answered.data),
        extras: endpoint.extras?.parse(answered.extras),
      };
    },
  };
}

/** The message for issues without one in the contract. */
function nameField(issue: { readonly path?: PropertyKey[] | undefined }): string {
  return `无效的参数：${issue.path?.join(".")}`;
}
