import type { Endpoint } from "@tollgate/contract/endpoint.ts";
import type { Role } from "@tollgate/contract/users.ts";
import type { z } from "zod";
import { Refusal } from "#base/refusal.ts";

/** Who is calling, established by the edge before any handler runs. */
export type Caller = {
  /** 0: not signed in. */
  readonly userId: number;
  readonly role: Role | 0;
  /** Empty: not signed in. */
  readonly username: string;
  /** The address the call came from, as `client-ip.ts` judges it. */
  readonly clientIp: string;
  /** Hash that names the browser's session; null: none, or called with an access token. */
  readonly sessionId: string | null;
  readonly requestId: string;
  /** Only where the caller's program named itself. */
  readonly userAgent?: string;
  /** Hash that names the browser across a sign-in elsewhere. Only where it was given a name. */
  readonly browserKey?: string;
};

/** What an answer carries besides its data. */
export type ReplyParts = {
  /** `message` of the envelope; consoles show or test a few. */
  readonly message?: string;
  /** The call was answered, and the answer is a no that carries extras all the same. */
  readonly success?: false;
  /** Value of a `Set-Cookie` header. */
  readonly setCookie?: string;
  /** Path of our own to which a browser goes on. For the few calls that are navigations. */
  readonly redirect?: `/${string}`;
};

const isReply = Symbol("reply");

/** Data together with what else the answer carries; made by `reply` and `withExtras` only. */
export type Reply<Data, Extras> = ReplyParts & {
  readonly [isReply]: true;
  readonly data: Data;
  /** Fields beside `data`, checked against the endpoint's `extras`. */
  readonly extras: Extras;
};

/** Data, and whatever else of the answer is not data. */
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

/** Data, and the fields of the endpoint's `extras` beside it. */
export function withExtras<Data, Extras>(data: Data, extras: Extras): Reply<Data, Extras> {
  return reply(data, { extras });
}

/** Whether a handler's result is more than data. */
export function isReplyValue(value: unknown): value is Reply<unknown, unknown> {
  return typeof value === "object" && value !== null && isReply in value;
}

/** An endpoint and the code that answers it, as the router mounts them. */
export type Handler = {
  readonly endpoint: Endpoint;
  /**
   * Raw input in, checked output out: the data, or a `Reply` where the answer carries more.
   * Throws `Refusal` for an expected no.
   */
  run(input: unknown, caller: Caller): Promise<unknown>;
};

/** What a handler of an endpoint may return: extras are a must where the contract has them. */
type Answer<Data, Extras extends z.ZodObject | undefined> = Extras extends z.ZodObject
  ? Reply<Data, z.input<Extras>>
  : Data | Reply<Data, undefined>;

/**
 * Binds `answer` to an endpoint. Input is parsed before `answer` sees it. Output is parsed too:
 * the contract is an allow-list, so a column added to a table cannot leak into an answer.
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

/** The message where the contract gives none. */
function nameField(issue: { readonly path?: PropertyKey[] | undefined }): string {
  return `无效的参数：${issue.path?.join(".")}`;
}
