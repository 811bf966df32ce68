/** What both halves of OpenAI's Responses format know of it. */

import type { Issuer } from "#canonical/request.ts";

/** The issuer of encrypted reasoning that this format carries without a mark of ours. */
export const nativeIssuer: Issuer = "openai";

/** What the ids of answers begin with that the gateway writes itself. */
export const ownIdPrefix = "resp_tollgate_";

/** Joins the name of a namespace and the name of a tool in it, for formats without namespaces. */
export const namespaceJoint = "__";
