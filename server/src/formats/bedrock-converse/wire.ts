import type { Issuer } from "#canonical/request.ts";

/** The issuer of signatures of reasoning. Anthropic's own API does not accept them. */
export const nativeIssuer: Issuer = "bedrock";
