import { fieldsOf } from "#ui/form/fields.tsx";
import type { ChannelForm, ChannelType } from "./channel-form.ts";
import type { SettingFields } from "./channel-setting.ts";

/**
 * The field components of the channel form, which accept only its fields. All files of the sheet
 * share them.
 */
export const F = fieldsOf<ChannelForm>();

/**
 * Returns the channel type chosen in the form; undefined: none is chosen, or the server does not
 * know it.
 */
export function useChosenType(types: readonly ChannelType[]): ChannelType | undefined {
  const chosen = F.useValue("type");
  return types.find(({ type }) => type === chosen);
}

/** Returns the values of the controls for the channel's `setting`. */
export function useSettingFields(): SettingFields {
  return {
    wire: F.useValue("wire"),
    system_prompt: F.useValue("system_prompt"),
    force_format: F.useValue("force_format"),
    thinking_to_content: F.useValue("thinking_to_content"),
    reasoning_field: F.useValue("reasoning_field"),
    proxy: F.useValue("proxy"),
    header_override: F.useValue("header_override"),
    usage_trust: F.useValue("usage_trust"),
    shares_ids: F.useValue("shares_ids"),
    stream_results: F.useValue("stream_results"),
    conversations: F.useValue("conversations"),
    cache_marks: F.useValue("cache_marks"),
    key_calls: F.useValue("key_calls"),
    key_requests: F.useValue("key_requests"),
    key_tokens: F.useValue("key_tokens"),
    other_settings: F.useValue("other_settings"),
    connectMs: F.useValue("connectMs"),
    firstByteMs: F.useValue("firstByteMs"),
    betweenChunksMs: F.useValue("betweenChunksMs"),
    totalMs: F.useValue("totalMs"),
  };
}
