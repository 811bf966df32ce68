import { type ReactNode, type SubmitEvent, useEffect, useEffectEvent, useRef } from "react";
import { useT } from "#i18n/t.ts";
import { Button } from "#ui/controls/Button.tsx";
import { Banner } from "#ui/feedback/Banner.tsx";
import { describeError } from "#ui/feedback/describe-error.ts";
import { useConfirm } from "#ui/overlays/use-confirm.ts";
import { FormContext } from "./form-context.ts";
import type { RecordForm } from "./use-record-form.ts";

/** The form element. Messages about the whole form are above the fields. */
export function FormBody(props: { form: RecordForm; onSubmit: () => void; children: ReactNode }) {
  const { form } = props;
  const t = useT();
  const { provideAsk, failure, restored } = form;
  const confirm = useConfirm();
  useEffect(() => provideAsk(confirm), [provideAsk, confirm]);

  const element = useRef<HTMLFormElement>(null);
  const submit = useEffectEvent(props.onSubmit);
  useEffect(() => {
    const handleKeyDown = (event: KeyboardEvent) => {
      if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
      // The keyboard shortcut for submitting works anywhere in the sheet around the form, also in
      // its head and foot.
      const place = element.current?.closest("[role=dialog]") ?? element.current;
      if (!(event.target instanceof Node) || place?.contains(event.target) !== true) return;
      event.preventDefault();
      submit();
    };
    document.addEventListener("keydown", handleKeyDown);
    return () => document.removeEventListener("keydown", handleKeyDown);
  }, []);

  return (
    <FormContext value={form.workings}>
      <form
        ref={element}
        id={form.id}
        noValidate
        className="flex min-w-0 flex-col gap-6"
        onSubmit={(event: SubmitEvent<HTMLFormElement>) => {
          event.preventDefault();
          // React bubbles submit events through portals, so the event may come from a form in a
          // popover and not from this form.
          if (event.target === event.currentTarget) props.onSubmit();
        }}
      >
        {restored !== null && (
          <Banner
            tone="info"
            title={t("ui.formDraftRestored")}
            action={<Button onClick={form.discardDraft}>{t("ui.formDiscard")}</Button>}
          >
            {restored.hasSecrets ? t("ui.formDraftSecrets") : null}
          </Banner>
        )}
        {failure !== null && <FailureBanner failure={failure} />}
        {props.children}
      </form>
    </FormContext>
  );
}

/** Comes into view: whoever has pressed the button below a long form would not see it. */
function FailureBanner({ failure }: { failure: NonNullable<RecordForm["failure"]> }) {
  const t = useT();
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    place.current?.scrollIntoView({ block: "nearest" });
  }, [failure]);
  const { title, requestId } =
    "message" in failure
      ? { title: failure.message, requestId: null }
      : describeError(failure.error);
  return (
    <div ref={place} className="scroll-my-9">
      <Banner tone="danger" title={title}>
        {requestId !== null && `${t("ui.requestId")} ${requestId}`}
      </Banner>
    </div>
  );
}
