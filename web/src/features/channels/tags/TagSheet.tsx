import { useMemo, useState } from "react";
import { useT } from "#i18n/t.ts";
import { Muted } from "#ui/feedback/Muted.tsx";
import { MappingEditor } from "#ui/editor/MappingEditor.tsx";
import { fieldsOf } from "#ui/form/fields.tsx";
import { FormSection } from "#ui/form/FormSection.tsx";
import { FormSheet } from "#ui/form/FormSheet.tsx";
import { toast } from "#ui/overlays/toast.ts";
import * as api from "#features/channels/channels.api.ts";
import { checkModelMapping, examples } from "#widgets/channels/mapping-check.ts";
import { type TagForm, tagFormOf, tagFormSchema } from "./tag-form.ts";
import { Button } from "#ui/controls/Button.tsx";
import { Input } from "#ui/controls/Input.tsx";
import { Toned } from "#ui/feedback/Toned.tsx";
import { Dialog } from "#ui/overlays/Dialog.tsx";
import { useTextAnswer } from "#ui/overlays/use-text-answer.ts";
import type { TextQuestion } from "#ui/overlays/use-text-question.ts";

const F = fieldsOf<TagForm>();

/** A sheet that changes all channels of a tag together. */
export function TagSheet(props: { tag: string; open: boolean; onClose: () => void }) {
  const { tag, open, onClose } = props;
  const t = useT();
  const { data: channels } = api.useTagChannels(tag);
  const update = api.useUpdateTag();
  const schema = useMemo(() => tagFormSchema(tag, t), [tag, t]);
  const values = useMemo(() => tagFormOf(tag), [tag]);
  return (
    <FormSheet
      open={open}
      title={t("channels.tagTitle", { tag })}
      schema={schema}
      values={values}
      question={() => ({
        title: t("channels.tagSaveTitle", { tag }),
        body: t("channels.tagReach", { count: channels?.length ?? 0 }),
        confirmLabel: t("channels.change"),
      })}
      onSubmit={async (change) => {
        await update(change);
        toast({ tone: "success", title: t("ui.saved") });
      }}
      onClose={onClose}
    >
      <span className="text-sm">
        <Muted>{t("channels.tagScope", { count: channels?.length ?? 0 })}</Muted>
      </span>
      <FormSection id="tag" title={t("channels.sectionTag")}>
        <TagFields />
      </FormSection>
    </FormSheet>
  );
}

function TagFields() {
  const t = useT();
  const { data: models } = api.useKnownModels();
  const { data: groups } = api.useGroupNames();
  const keep = t("channels.keepAsIs");
  return (
    <>
      <F.Text name="new_tag" label={t("channels.tag")} help={t("channels.newTagHelp")} />
      <F.MultiCombobox
        name="models"
        label={t("channels.models")}
        items={(models ?? []).map((name) => ({ value: name, label: name }))}
        creatable
        placeholder={keep}
      />
      <F.MultiCombobox
        name="groups"
        label={t("channels.groups")}
        items={(groups ?? []).map((name) => ({ value: name, label: name }))}
        creatable
        placeholder={keep}
      />
      <F.Custom name="model_mapping" label={t("channels.modelMapping")} grouped>
        {(control) => (
          <MappingEditor
            {...control}
            label={t("channels.modelMapping")}
            keyLabel={t("channels.clientModel")}
            valueLabel={t("channels.upstreamModel")}
            check={(text) => checkModelMapping(text, null, t)}
            example={examples.model_mapping}
          />
        )}
      </F.Custom>
      <div className="grid gap-4 sm:grid-cols-2">
        <F.Number name="priority" label={t("channels.priority")} placeholder={keep} />
        <F.Number name="weight" label={t("channels.weight")} placeholder={keep} />
      </div>
    </>
  );
}

/** Asks for a tag, which is then set on the selected channels. */
export function SetTagDialog({ question }: { question: TextQuestion }) {
  const { count } = question;
  const t = useT();
  const { text: tag, setText: setTag, close: closeWith } = useTextAnswer(question);
  const [missing, setMissing] = useState(false);
  const close = (given: string | null) => {
    setMissing(false);
    closeWith(given);
  };
  const save = () => {
    if (tag.trim() === "") setMissing(true);
    else close(tag.trim());
  };
  return (
    <Dialog
      open={count > 0}
      onClose={() => close(null)}
      title={t("channels.setTagTitle", { count })}
      width="sm"
      footer={
        <>
          <Button onClick={() => close(null)}>{t("channels.cancel")}</Button>
          <Button variant="primary" onClick={save}>
            {t("channels.setTag")}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-1.5">
        <Input
          aria-label={t("channels.tag")}
          placeholder={t("channels.tagPlaceholder")}
          autoFocus
          value={tag}
          invalid={missing}
          onChange={(event) => {
            setTag(event.target.value);
            setMissing(false);
          }}
          onKeyDown={(event) => {
            if (event.key === "Enter" && !event.nativeEvent.isComposing) save();
          }}
        />
        {missing && (
          <span role="alert" className="text-xs">
            <Toned tone="danger">{t("channels.tagRequired")}</Toned>
          </span>
        )}
      </div>
    </Dialog>
  );
}
