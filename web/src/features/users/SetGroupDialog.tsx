import { useT } from "#i18n/t.ts";
import { Button } from "#ui/controls/Button.tsx";
import { Combobox } from "#ui/controls/Combobox.tsx";
import { Dialog } from "#ui/overlays/Dialog.tsx";
import { useTextAnswer } from "#ui/overlays/use-text-answer.ts";
import type { TextQuestion } from "#ui/overlays/use-text-question.ts";
import { useGroupNames } from "./users.api.ts";

/** Asks for a group, into which the selected users are then moved. */
export function SetGroupDialog({ question }: { question: TextQuestion }) {
  const { count } = question;
  const t = useT();
  const { data: groups } = useGroupNames();
  const { text: group, setText: setGroup, close } = useTextAnswer(question);
  return (
    <Dialog
      open={count > 0}
      onClose={() => close(null)}
      title={t("users.setGroupTitle", { count })}
      description={t("users.setGroupHelp")}
      width="sm"
      footer={
        <>
          <Button onClick={() => close(null)}>{t("users.cancel")}</Button>
          <Button variant="primary" disabled={group === ""} onClick={() => close(group)}>
            {t("users.setGroup")}
          </Button>
        </>
      }
    >
      <Combobox
        aria-label={t("users.group")}
        items={(groups ?? []).map((name) => ({ value: name, label: name }))}
        loading={groups === undefined}
        placeholder={t("users.groupPlaceholder")}
        value={group}
        onChange={setGroup}
      />
    </Dialog>
  );
}
