import type { CanonicalRequest } from "#canonical/request.ts";
import type { BodyRefusal } from "#formats/format.ts";

/** Refuses a field that the upstream's format cannot carry and without which the answer is wrong. */
export function unsupported(param: string, message: string): BodyRefusal {
  return { code: "unsupported_parameter", param, message };
}

/** Refuses several answers, for formats with one answer a call. Undefined: one is requested. */
export function refuseSeveral({ limits }: CanonicalRequest): BodyRefusal | undefined {
  if (limits.count <= 1) return undefined;
  return unsupported("n", "the upstream gives one answer a call; send n = 1");
}

/** Refuses output beside text, for formats without it. Undefined: only text is requested. */
export function refuseMediaOutput({ media }: CanonicalRequest): BodyRefusal | undefined {
  if (media === null) return undefined;
  return unsupported("modalities", "the upstream answers with text only");
}
