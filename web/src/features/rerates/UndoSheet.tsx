import { useT } from "#i18n/t.ts";
import { toast } from "#ui/overlays/toast.ts";
import { useRerate, useUndoRerate } from "./rerates.api.ts";
import { RerateForm } from "./RerateForm.tsx";

/** A sheet that takes a re-rate back: every call is charged again what it was charged before. */
export function UndoSheet(props: {
  readonly id: number;
  readonly onBegun: (id: number) => void;
  readonly onClose: () => void;
}) {
  const { id } = props;
  const t = useT();
  const { data } = useRerate(id);
  const { mutateAsync: undo } = useUndoRerate();
  return (
    <RerateForm
      title={t("rerates.undoTitle", { id })}
      description={t("rerates.undoBody")}
      submitLabel={t("rerates.undo")}
      isRaising={(data?.rerate.lowered ?? 0) > 0}
      onSubmit={async (wish) => {
        const begun = await undo({ ...wish, id });
        toast({ tone: "success", title: t("rerates.begun", { id: begun.id }) });
        props.onBegun(begun.id);
      }}
      onClose={props.onClose}
    />
  );
}
