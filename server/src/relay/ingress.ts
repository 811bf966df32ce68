/**
 * The client-facing paths of the relay: one line each says which method and path there is, the
 * format spoken there and what is asked for.
 */

import type { Modality } from "#canonical/modality.ts";

/** What a request to the relay's address space wants. */
export type Ingress =
  | {
      readonly kind: "call";
      readonly modality: Modality;
      /** From the path where the body may leave it out; null: the body names it. */
      readonly model: string | null;
    }
  | { readonly kind: "models" }
  | { readonly kind: "model"; readonly model: string }
  /** What is left and was spent behind the key. */
  | { readonly kind: "billing"; readonly query: BillingQuery }
  | { readonly kind: "preflight" }
  /** Known to clients, not served here. */
  | { readonly kind: "unimplemented" }
  | { readonly kind: "unknown" };

export type BillingQuery = "subscription" | "usage";

type Row = {
  readonly method: "DELETE" | "GET" | "POST";
  /** Segments after the final slash was taken off; `*` is one segment, `**` the rest. */
  readonly path: string;
  readonly to: BillingQuery | Modality | "model" | "models" | "unimplemented";
};

/** The format of every row is OpenAI's. */
const rows: readonly Row[] = [
  { method: "GET", path: "/dashboard/billing/subscription", to: "subscription" },
  { method: "GET", path: "/dashboard/billing/usage", to: "usage" },
  { method: "POST", path: "/v1/chat/completions", to: "chat" },
  { method: "POST", path: "/v1/completions", to: "completions" },
  { method: "GET", path: "/v1/dashboard/billing/subscription", to: "subscription" },
  { method: "GET", path: "/v1/dashboard/billing/usage", to: "usage" },
  { method: "POST", path: "/v1/embeddings", to: "embeddings" },
  { method: "POST", path: "/v1/engines/*/embeddings", to: "embeddings" },
  { method: "GET", path: "/v1/models", to: "models" },
  { method: "GET", path: "/v1/models/**", to: "model" },
  { method: "POST", path: "/v1/audio/speech", to: "unimplemented" },
  { method: "POST", path: "/v1/audio/transcriptions", to: "unimplemented" },
  { method: "POST", path: "/v1/audio/translations", to: "unimplemented" },
  { method: "POST", path: "/v1/edits", to: "unimplemented" },
  { method: "POST", path: "/v1/images/edits", to: "unimplemented" },
  { method: "POST", path: "/v1/images/generations", to: "unimplemented" },
  { method: "POST", path: "/v1/images/variations", to: "unimplemented" },
  { method: "POST", path: "/v1/messages", to: "unimplemented" },
  { method: "POST", path: "/v1/messages/count_tokens", to: "unimplemented" },
  { method: "DELETE", path: "/v1/models/**", to: "unimplemented" },
  { method: "POST", path: "/v1/moderations", to: "unimplemented" },
  { method: "GET", path: "/v1/realtime", to: "unimplemented" },
  { method: "POST", path: "/v1/rerank", to: "unimplemented" },
  { method: "POST", path: "/v1/responses", to: "unimplemented" },
  { method: "POST", path: "/v1/responses/compact", to: "unimplemented" },
];

/** Whole families nothing of is served, whatever the method. */
const unimplementedFamilies = ["/v1/files", "/v1/fine-tunes", "/v1/fine_tuning"];

/** Paths without a wildcard, the ones that matter, found at once. */
const exact = new Map(
  rows.filter((row) => !row.path.includes("*")).map((row) => [`${row.method} ${row.path}`, row]),
);
const patterns = rows.filter((row) => row.path.includes("*"));

/** A model's name in a path: names may contain `/` and `:`. */
const modelLengthMax = 255;

/** @param pathname as it came, still percent-encoded. */
export function findIngress(method: string, pathname: string): Ingress {
  if (method === "OPTIONS") return { kind: "preflight" };
  const path = plainPath(pathname);
  const row = exact.get(`${method} ${path}`);
  if (row !== undefined) return ingressOf(row.to, null);
  for (const pattern of patterns) {
    const model = pattern.method === method ? matchPattern(pattern.path, path) : undefined;
    if (model !== undefined) return ingressOf(pattern.to, model);
  }
  const isFamily = unimplementedFamilies.some(
    (family) => path === family || path.startsWith(`${family}/`),
  );
  return { kind: isFamily ? "unimplemented" : "unknown" };
}

function ingressOf(to: Row["to"], model: string | null): Ingress {
  if (to === "models" || to === "unimplemented") return { kind: to };
  if (to === "subscription" || to === "usage") return { kind: "billing", query: to };
  if (to === "model") return model === null ? { kind: "models" } : { kind: "model", model };
  return { kind: "call", modality: to, model };
}

/** Without doubled slashes in front and without the one at the end: clients send both. */
function plainPath(pathname: string): string {
  let start = 0;
  while (pathname.charCodeAt(start + 1) === slash) start += 1;
  let end = pathname.length;
  while (end > start + 1 && pathname.charCodeAt(end - 1) === slash) end -= 1;
  return start === 0 && end === pathname.length ? pathname : pathname.slice(start, end);
}

const slash = 47;

/** The part of the path the wildcard stands for, decoded. Undefined: no match, or no name. */
function matchPattern(pattern: string, path: string): string | undefined {
  const star = pattern.indexOf("*");
  const before = pattern.slice(0, star);
  const isRest = pattern.endsWith("**");
  const after = isRest ? "" : pattern.slice(star + 1);
  if (path.length <= before.length + after.length) return undefined;
  if (!path.startsWith(before) || !path.endsWith(after)) return undefined;
  const part = path.slice(before.length, path.length - after.length);
  if (!isRest && part.includes("/")) return undefined;
  return decodeName(part);
}

function decodeName(part: string): string | undefined {
  try {
    const name = decodeURIComponent(part);
    return name.length <= modelLengthMax ? name : undefined;
  } catch {
    return undefined;
  }
}

/** Whether it is answered to whoever brings a good key only. */
export function needsKey(
  ingress: Ingress,
): ingress is Extract<Ingress, { kind: "billing" | "call" | "model" | "models" }> {
  const { kind } = ingress;
  return kind === "billing" || kind === "call" || kind === "model" || kind === "models";
}
