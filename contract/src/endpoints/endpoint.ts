/**
 * A console endpoint, described once and used on both sides: the server mounts a handler on it
 * (`server/src/http/router.ts`), the web console calls it (`web/src/api/call.ts`).
 */

import type { z } from "zod";
import type { role } from "./users.ts";

/** The lowest role that may call an endpoint. The server checks it before the handler runs. */
type Access = "public" | keyof typeof role.enum;

export type Endpoint<
  Input extends z.ZodObject = z.ZodObject,
  Output extends z.ZodType = z.ZodType,
  Extras extends z.ZodObject | undefined = z.ZodObject | undefined,
> = {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  /**
   * Path, spelled as in one-api's console API; the server answers it with and without the final
   * slash. A segment `:name` is filled from `input.name`.
   */
  readonly path: `/api/${string}`;
  /**
   * Query parameter that selects this endpoint among those of the same method and path; any
   * non-empty value selects it. One-api's `status_only` is one.
   */
  readonly flag?: string;
  readonly access: Access;
  /**
   * A GET that changes state, as a few calls of one-api's console API do. The server guards it like
   * a POST: it checks the user-id header and the origin.
   */
  readonly changesState?: true;
  /**
   * A POST that changes nothing, because what it asks is too long for an address; callers who may
   * only look may make it.
   */
  readonly readsOnly?: true;
  /**
   * A public call that acts for the session's user whatever the user-id header says; absent: a
   * public call that changes state counts as a visitor's where the header does not name that user.
   */
  readonly byCookieAlone?: true;
  /**
   * The caller is identified by an API key, in `Authorization` or in the input `key`. Cookies are
   * ignored, so pages of any origin may make this call.
   */
  readonly byKey?: true;
  /**
   * Called by another company's server: the input `raw` has query and body as they came, of any
   * media type, and the answer is plain text.
   */
  readonly raw?: true;
  /**
   * A successful answer has `code` in place of `success`, because the clients of this endpoint
   * expect it.
   */
  readonly verdictField?: "code";
  /** A successful answer is a stream of server-sent events, each of which has data of `output`. */
  readonly pushed?: true;
  /** A successful answer is the data alone, without the envelope. */
  readonly bare?: true;
  /** The endpoint is also served under this method, which our own console uses. */
  readonly alias?: "POST";
  /**
   * What the caller sends: query string for GET and DELETE, JSON body for POST and PUT. Unknown
   * fields are ignored, because consoles send whole rows back.
   */
  readonly input: Input;
  /** Fields that consoles send in the query of a POST as well; the body takes precedence. */
  readonly inQuery?: readonly string[];
  /**
   * Fields that programs also send in the body of a DELETE. The server refuses the call if a field
   * differs from the one in the query.
   */
  readonly inBody?: readonly string[];
  /**
   * Whether this input needs a fresh second factor of callers who have one; absent: never. Without
   * it the call is refused with `step-up-needed`; see `second-factor.ts`.
   */
  stepUp?(input: z.output<Input>): boolean;
  /**
   * Whether callers whose password has expired may make this call; absent: no. A public endpoint
   * answers such callers as it answers visitors.
   */
  whilePasswordExpired?(input: z.output<Input>): boolean;
  /**
   * A successful call gives the session a new cookie; calls that still carry the old one are
   * answered with 401.
   */
  readonly renewsSession?: true;
  /**
   * The page of the console to which a refused browser navigation is redirected, with the refusal's
   * code in `refused`, because a person cannot use JSON.
   */
  readonly refusedPage?: `/${string}`;
  /** `data` of a successful answer; see `envelope.ts`. */
  readonly output: Output;
  /** Fields that a successful answer has beside `data`; few endpoints have any. */
  readonly extras?: Extras;
};

/** Gives a definition its exact type; does nothing at run time. */
export function endpoint<
  Input extends z.ZodObject,
  Output extends z.ZodType,
  Extras extends z.ZodObject | undefined = undefined,
>(definition: Endpoint<Input, Output, Extras>): Endpoint<Input, Output, Extras> {
  return definition;
}
