import type { Reasoning } from "#canonical/request.ts";
import { effortOf } from "#formats/shared/reasoning.ts";

/** Matches OpenAI's models that think: they take other parameters than all others. */
const thinkingModel = /(^|\/)(o[1-9]|gpt-5|codex)(?!.*chat)/;

/** Matches those that think only when they are asked to. */
const asIsAsked = /(^|\/)gpt-5\.[1-4](?!.*(chat|codex|pro))/;

export function isThinkingModel(model: string): boolean {
  return thinkingModel.test(model);
}

/** Whether the model thinks about this request, so that it refuses sampling parameters. */
export function thinksAbout(model: string, reasoning: Reasoning | null): boolean {
  if (!isThinkingModel(model)) return false;
  const effort = reasoning === null ? null : effortOf(reasoning);
  return !asIsAsked.test(model) || (effort !== null && effort !== "none");
}
