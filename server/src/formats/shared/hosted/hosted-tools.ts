/** Tools that a provider runs, in words that several formats share, and what a format cannot carry. */

import type { CanonicalRequest, HostedMeaning, HostedTool, Issuer } from "#canonical/request.ts";
import type { BodyRefusal } from "#formats/format.ts";
import { unsupported } from "#formats/shared/upstream/refuse.ts";

/** Returns what the tools of a request that the provider runs mean, as far as other formats know it. */
export function meaningsOf({ tools }: Pick<CanonicalRequest, "tools">): readonly HostedMeaning[] {
  return tools.flatMap((tool) =>
    tool.type === "hosted" && tool.meaning !== null ? [tool.meaning] : [],
  );
}

/** Returns the meaning of the tool that a choice demands; undefined: the client runs it. */
export function chosenMeaning(
  { tools }: Pick<CanonicalRequest, "tools">,
  name: string,
): HostedMeaning | undefined {
  if (tools.some((tool) => tool.type !== "hosted" && tool.name === name)) return undefined;
  const chosen = tools.find((tool) => tool.type === "hosted" && tool.name === name);
  return chosen?.type === "hosted" ? (chosen.meaning ?? undefined) : undefined;
}

/** Whether an upstream that knows these meanings can be given the tool. */
export function isCarried(
  { meaning }: HostedTool,
  carried: readonly HostedMeaning["type"][],
): boolean {
  return meaning !== null && carried.includes(meaning.type);
}

/**
 * Refuses a request that forces a tool which the upstream does not have: any other answer would be
 * wrong.
 */
export function refuseForced(
  { toolChoice, tools }: CanonicalRequest,
  carried: readonly HostedMeaning["type"][],
): BodyRefusal | undefined {
  if (toolChoice === null || toolChoice.type === "auto" || toolChoice.type === "none") {
    return undefined;
  }
  const lost = new Set(tools.filter((tool) => tool.type === "hosted" && !isCarried(tool, carried)));
  const callable = new Set(tools.flatMap((tool) => (lost.has(tool) ? [] : [tool.name])));
  const lostNames = new Set([...lost].map(({ name }) => name));
  const isLost = (name: string) => lostNames.has(name) && !callable.has(name);
  if (toolChoice.type === "tool" && isLost(toolChoice.name)) return noTool(toolChoice.name);
  // Some tool must be called, and none is left.
  const [first] = lost;
  if (first === undefined) return undefined;
  if (toolChoice.type === "required") {
    return lost.size < tools.length ? undefined : noTool(first.name);
  }
  const isNoneLeft =
    toolChoice.type === "subset" && toolChoice.isRequired && toolChoice.names.every(isLost);
  return isNoneLeft ? noTool(first.name) : undefined;
}

function noTool(name: string): BodyRefusal {
  return unsupported("tool_choice", `the upstream has no tool ${name}, which tool_choice demands`);
}

/** Refuses files that are named by an id of another vendor: the model would answer without them. */
export function refuseForeignFiles(
  { items }: CanonicalRequest,
  own: Issuer | undefined,
): BodyRefusal | undefined {
  for (const item of items) {
    if (item.type === "hosted" && item.kind === "container_upload" && item.issuer !== own) {
      return foreignFile("messages[].content[].file_id");
    }
    if (item.type !== "message" && item.type !== "tool-result") continue;
    for (const part of item.parts) {
      if (part.type !== "media" || part.source.type !== "file-id") continue;
      if (part.source.issuer !== own) return foreignFile(part.source.field);
    }
  }
  return undefined;
}

function foreignFile(field: string): BodyRefusal {
  return unsupported(field, "the upstream has no files of another provider; send the bytes");
}
