import type { Json, JsonObject } from "#base/json.ts";
import type {
  CanonicalRequest,
  Item,
  MediaPart,
  Part,
  ToolCallItem,
  ToolResultItem,
} from "#canonical/request.ts";
import { mediaUrl } from "#formats/shared/data-url.ts";
import type { Losses } from "#formats/shared/losses.ts";
import { pairTools } from "#formats/shared/pair-tools.ts";
import { argsJson } from "#formats/shared/tool-args.ts";
import { nineId, renameCalls, shortId } from "#formats/shared/tool-ids.ts";
import { attachSignatures } from "#formats/shared/upstream/attach-signatures.ts";
import { resultText, turnsOf } from "#formats/shared/upstream/turns.ts";
import type { Quirks } from "#formats/translation.ts";

/** Writes the conversation, a message a turn of the model and a message each for everything else. */
export function writeMessages(
  request: CanonicalRequest,
  quirks: Quirks,
  losses: Losses,
): readonly JsonObject[] {
  const paired = pairTools(request.items);
  losses.addIf(paired.orphans > 0, "tool results without a call");
  const signed = attachSignatures(paired.items, "google");
  const items = renameCalls(signed, quirks.toolIds === "nine" ? nineId : shortId);
  return turnsOf(items, losses.addGiven).flatMap((turn): readonly JsonObject[] => {
    switch (turn.kind) {
      case "model":
        return writeTurn(turn.items, quirks, losses);
      case "results":
        return writeResults(turn.items, losses);
      case "message":
        return [{ role: turn.item.role, content: writeContent(turn.item.parts, losses) }];
    }
  });
}

/** Writes a turn of the model; one without any content is left out, because upstreams refuse it. */
function writeTurn(items: readonly Item[], quirks: Quirks, losses: Losses): readonly JsonObject[] {
  let reasoning = "";
  const details: JsonObject[] = [];
  const parts: Part[] = [];
  const calls: JsonObject[] = [];
  for (const item of items) {
    if (item.type === "reasoning") {
      reasoning += item.text;
      const { opaque } = item;
      // Whoever issued these values for a chat format reads them here; others would refuse them.
      if (opaque?.issuer === "other") {
        details.push({ type: "reasoning.text", text: item.text, signature: opaque.value });
      } else losses.addIf(opaque !== null, "reasoning signature");
    } else if (item.type === "tool-call") calls.push(writeCall(item));
    else if (item.type === "message") parts.push(...item.parts);
    else if (item.type === "hosted") losses.addGiven(item.kind);
  }
  const { reasoningField } = quirks;
  // A provider that wants reasoning back wants it in every turn with calls, even if it is empty.
  const isWanted = reasoningField !== undefined && (reasoning !== "" || calls.length > 0);
  losses.addIf(reasoning !== "" && !isWanted, "reasoning of earlier turns");
  const content = writeTurnContent(parts, losses);
  const refusal = parts.flatMap((part) => (part.type === "refusal" ? [part.text] : [])).join("");
  if (content === "" && refusal === "" && !isWanted && calls.length === 0) return [];
  return [
    {
      role: "assistant",
      content: content === "" && calls.length > 0 ? null : content,
      ...(refusal === "" ? {} : { refusal }),
      ...(isWanted ? { [reasoningField]: reasoning } : {}),
      ...(details.length > 0 && isWanted ? { reasoning_details: details } : {}),
      ...(calls.length > 0 ? { tool_calls: calls } : {}),
    },
  ];
}

/** The text of a turn. Media that the model made and signatures of texts cannot go back here. */
function writeTurnContent(parts: readonly Part[], losses: Losses): string {
  losses.addIf(
    parts.some((part) => part.type === "text" && part.opaque !== null),
    "text signature",
  );
  losses.addIf(
    parts.some((part) => part.type === "media"),
    "media of earlier answers",
  );
  return parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("");
}

function writeCall(call: ToolCallItem): JsonObject {
  const { callId, name, opaque } = call;
  const signature = opaque === null ? undefined : signatureOf(opaque);
  const extra =
    signature === undefined ? {} : { extra_content: { google: { thought_signature: signature } } };
  return {
    id: callId,
    type: "function",
    function: { name, arguments: argsJson(call) },
    ...extra,
  };
}

/** Google's layer of this format wants the signature back; other values are for other issuers. */
function signatureOf(opaque: NonNullable<ToolCallItem["opaque"]>): string | undefined {
  return opaque.issuer === "google" ? opaque.value : undefined;
}

/**
 * Writes the results of one turn's calls. Results carry text only, so their media follow in one
 * message of the user.
 */
function writeResults(items: readonly ToolResultItem[], losses: Losses): readonly JsonObject[] {
  const messages: JsonObject[] = [];
  const media: MediaPart[] = [];
  for (const item of items) {
    messages.push({ role: "tool", tool_call_id: item.callId, content: resultText(item) });
    media.push(...item.parts.filter((part) => part.type === "media"));
  }
  if (media.length > 0) messages.push({ role: "user", content: writeContent(media, losses) });
  return messages;
}

/** Writes parts: as a text if they are nothing else, or as a list. */
function writeContent(parts: readonly Part[], losses: Losses): Json {
  const [only] = parts;
  if (only?.type === "text" && parts.length === 1) return only.text;
  return parts.flatMap((part) => writePart(part, losses));
}

function writePart(part: Part, losses: Losses): readonly JsonObject[] {
  if (part.type !== "media") return [{ type: "text", text: part.text }];
  const { kind, source, mediaType, name, detail } = part;
  if (source.type === "file-id") {
    return [{ type: "file", file: { file_id: source.fileId } }];
  }
  const url = mediaUrl(source, mediaType) ?? "";
  switch (kind) {
    case "image":
      return [{ type: "image_url", image_url: { url, ...(detail === null ? {} : { detail }) } }];
    case "audio": {
      if (source.type === "bytes") {
        const format = /mpeg|mp3/.test(mediaType) ? "mp3" : (mediaType.split("/")[1] ?? "wav");
        return [{ type: "input_audio", input_audio: { data: source.data, format } }];
      }
      losses.add("audio by URL");
      return [];
    }
    case "video":
      return [{ type: "video_url", video_url: { url } }];
    default: {
      const filename = name === "" ? fileName(mediaType) : name;
      return [{ type: "file", file: { filename, file_data: url } }];
    }
  }
}

function fileName(mediaType: string): string {
  const [, ending = "bin"] = mediaType.split("/");
  return `file.${ending === "plain" ? "txt" : ending.replaceAll(/[^a-z0-9]/g, "")}`;
}
