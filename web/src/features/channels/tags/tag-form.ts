/** The form that changes all channels of a tag. Fields that are left empty change nothing. */

import { modelMapping } from "@tollgate/contract/fields/channel-fields.ts";
import { z } from "zod";
import type { T } from "#i18n/t.ts";
import type { TagChange } from "#features/channels/channels.api.ts";

export type TagForm = {
  readonly new_tag: string;
  readonly models: readonly string[];
  readonly groups: readonly string[];
  readonly model_mapping: string;
  readonly priority: number | null;
  readonly weight: number | null;
};

export function tagFormOf(tag: string): TagForm {
  return { new_tag: tag, models: [], groups: [], model_mapping: "", priority: null, weight: null };
}

export function tagFormSchema(tag: string, t: T): z.ZodType<TagChange> {
  return z.custom<TagForm>().transform((form, context): TagChange => {
    const refuse = (path: (keyof TagForm)[], message: string): void => {
      context.addIssue({ code: "custom", path, message });
    };
    const { priority, weight, model_mapping } = form;
    if (priority !== null && !Number.isInteger(priority)) {
      refuse(["priority"], t("channels.priorityInvalid"));
    }
    if (weight !== null && (!Number.isInteger(weight) || weight < 0)) {
      refuse(["weight"], t("channels.weightInvalid"));
    }
    if (!isMapping(model_mapping)) refuse(["model_mapping"], t("channels.mappingInvalid"));
    const change = changeOf(tag, form);
    if (Object.keys(change).length === 1) refuse([], t("channels.nothingChanged"));
    return change;
  });
}

function changeOf(tag: string, form: TagForm): TagChange {
  const newTag = form.new_tag.trim();
  return {
    tag,
    ...(newTag === tag ? {} : { new_tag: newTag }),
    ...(form.models.length === 0 ? {} : { models: form.models.join(",") }),
    ...(form.groups.length === 0 ? {} : { groups: form.groups.join(",") }),
    ...(form.model_mapping.trim() === "" ? {} : { model_mapping: form.model_mapping }),
    ...(form.priority === null ? {} : { priority: form.priority }),
    ...(form.weight === null ? {} : { weight: form.weight }),
  };
}

function isMapping(text: string): boolean {
  if (text.trim() === "") return true;
  try {
    return modelMapping.safeParse(JSON.parse(text)).success;
  } catch {
    return false;
  }
}
