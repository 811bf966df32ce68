import { fieldsOf } from "#ui/form/fields.tsx";
import type { ChannelForm, ChannelType } from "./channel-form.ts";

/** The fields of the channel's sheet, which several files share. */
export const F = fieldsOf<ChannelForm>();

/** The chosen type; undefined: none is chosen, or one that this server does not know. */
export function useChosenType(types: readonly ChannelType[]): ChannelType | undefined {
  const chosen = F.useValue("type");
  return types.find(({ type }) => type === chosen);
}
