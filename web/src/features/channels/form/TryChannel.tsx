import { FlaskConical } from "lucide-react";
import { useState } from "react";
import { useT } from "#i18n/t.ts";
import { Button } from "#ui/controls/Button.tsx";
import { Muted } from "#ui/feedback/Muted.tsx";
import { Toned } from "#ui/feedback/Toned.tsx";
import { describeError } from "#ui/feedback/describe-error.ts";
import { useRefusals } from "#ui/form/Field.tsx";
import { showSeconds } from "#features/channels/channel-display.ts";
import { F, useSettingFields } from "./channel-fields.ts";
import { type ChannelForm, emptyForm, sentOf } from "./channel-form.ts";
import { tryChannel } from "#features/channels/channels.api.ts";

type Outcome = { readonly seconds: number } | { readonly failure: string } | null;

/** The button that tests the channel with one small call, using the sheet's unsaved values. */
export function TryChannel({ id, testable }: { id: number | undefined; testable: boolean }) {
  const t = useT();
  const form = useTriedForm();
  const { showRefusal, clearRefusals } = useRefusals();
  const [trying, setTrying] = useState(false);
  const [outcome, setOutcome] = useState<Outcome>(null);
  const model = form.test_model.trim() || (form.models[0] ?? "");

  async function run(): Promise<void> {
    setTrying(true);
    setOutcome(null);
    clearRefusals();
    try {
      setOutcome({ seconds: await tryChannel({ ...sentOf(form), id, model }) });
    } catch (error) {
      // The field that is wrong has the reason, which stands there only once.
      setOutcome({
        failure: showRefusal(error)
          ? t("channels.tryFailedAtField")
          : t("channels.tryFailed", { message: describeError(error).title }),
      });
    } finally {
      setTrying(false);
    }
  }

  function helpOf(): string {
    if (!testable) return t("channels.notTestable");
    return model === "" ? t("channels.tryNeedsModel") : t("channels.tryHelp", { model });
  }

  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
      <Button
        icon={<FlaskConical size={14} aria-hidden />}
        loading={trying}
        disabled={!testable || form.type === 0 || model === ""}
        onClick={() => void run()}
      >
        {t("channels.try")}
      </Button>
      <span className="min-w-0 flex-1 text-sm break-words" role="status">
        {outcome === null && <Muted>{helpOf()}</Muted>}
        {outcome !== null && "seconds" in outcome && (
          <Toned tone="success">
            {t("channels.tryPassed", { model, time: showSeconds(outcome.seconds) })}
          </Toned>
        )}
        {outcome !== null && "failure" in outcome && <Toned tone="danger">{outcome.failure}</Toned>}
      </span>
    </div>
  );
}

/**
 * The form's values on which the result of a test call depends. Name, tag and groups are not among
 * them.
 */
function useTriedForm(): ChannelForm {
  return {
    ...emptyForm,
    type: F.useValue("type"),
    key: F.useValue("key"),
    base_url: F.useValue("base_url"),
    other: F.useValue("other"),
    openai_organization: F.useValue("openai_organization"),
    models: F.useValue("models"),
    test_model: F.useValue("test_model"),
    model_mapping: F.useValue("model_mapping"),
    status_code_mapping: F.useValue("status_code_mapping"),
    param_override: F.useValue("param_override"),
    ...useSettingFields(),
  };
}
