import { fieldsOf } from "#ui/form/fields.tsx";
import type { ChannelForm, ChannelType } from "./channel-form.ts";

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
