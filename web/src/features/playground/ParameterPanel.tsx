import { RotateCcw } from "lucide-react";
import { type ReactNode, useId, useMemo } from "react";
import { type T, useT } from "#i18n/t.ts";
import { Combobox } from "#ui/controls/Combobox.tsx";
import { IconButton } from "#ui/controls/IconButton.tsx";
import { NumberInput } from "#ui/controls/NumberInput.tsx";
import { Slider } from "#ui/controls/Slider.tsx";
import { Textarea } from "#ui/controls/Textarea.tsx";
import { ErrorState } from "#ui/feedback/ErrorState.tsx";
import { Muted } from "#ui/feedback/Muted.tsx";
import { GroupPicker } from "#widgets/people/GroupPicker.tsx";
import { ModelMark } from "#widgets/brands/BrandMark.tsx";
import { textMax } from "./conversation.ts";
import {
  maxTokensMax,
  temperatureMax,
  temperatureMin,
  temperatureStep,
} from "./playground.search.ts";
import type { ParameterState } from "./use-parameters.ts";

/** The parameters of the next call: beside the conversation, or in a sheet on narrow screens. */
export function ParameterPanel(props: {
  parameters: ParameterState;
  system: string;
  onSystem: (system: string) => void;
  /** Called when the user has finished typing the system prompt. */
  onSystemEnd: () => void;
}) {
  const { parameters, system, onSystem, onSystemEnd } = props;
  const { settings, groups, models, missingModel, isGroupGone, set } = parameters;
  const t = useT();
  const id = useId();
  const items = useMemo(
    () =>
      (models.data ?? []).map((name) => ({
        value: name,
        label: name,
        icon: <ModelMark model={name} />,
      })),
    [models.data],
  );
  if (groups.isError) {
    return <ErrorState error={groups.error} onRetry={() => void groups.refetch()} />;
  }
  return (
    <div className="flex flex-col gap-5">
      <Labelled
        id={`${id}-group`}
        label={t("playground.group")}
        help={isGroupGone ? t("widgets.groupGone") : null}
      >
        <GroupPicker
          id={`${id}-group`}
          groups={groups.data}
          value={settings.group}
          onChange={(group) => set({ group })}
        />
      </Labelled>
      <Labelled
        id={`${id}-model`}
        label={t("playground.model")}
        help={missingModel === "" ? null : t("playground.modelMissing", { model: missingModel })}
      >
        <Combobox
          id={`${id}-model`}
          items={items}
          value={settings.model === "" ? null : settings.model}
          onChange={(model) => set({ model })}
          loading={models.isPending}
          disabled={models.isSuccess && items.length === 0}
          placeholder={placeholderOf(models, t)}
        />
      </Labelled>
      <Temperature value={settings.temperature} onChange={(temperature) => set({ temperature })} />
      <Labelled
        id={`${id}-tokens`}
        label={t("playground.maxTokens")}
        help={t("playground.maxTokensHelp")}
      >
        <NumberInput
          id={`${id}-tokens`}
          aria-describedby={`${id}-tokens-help`}
          value={settings.maxTokens}
          onChange={(value) => set({ max_tokens: value ?? 0 })}
          min={0}
          max={maxTokensMax}
          step={256}
        />
      </Labelled>
      <Labelled
        id={`${id}-system`}
        label={t("playground.system")}
        help={t("playground.systemHelp")}
      >
        <Textarea
          id={`${id}-system`}
          aria-describedby={`${id}-system-help`}
          rows={6}
          maxLength={textMax}
          value={system}
          onChange={(event) => onSystem(event.target.value)}
          onBlur={onSystemEnd}
          placeholder={t("playground.systemPlaceholder")}
        />
      </Labelled>
    </div>
  );
}

/** The slider for the temperature. The value is 0 until the slider is moved, and after a reset. */
function Temperature(props: { value: number; onChange: (value: number) => void }) {
  const { value, onChange } = props;
  const t = useT();
  return (
    <div className="flex flex-col gap-0.5">
      <div className="flex h-control-small items-center justify-between">
        <span className="text-sm font-medium">{t("playground.temperature")}</span>
        <span className="flex items-center gap-1">
          {value !== 0 && (
            <IconButton
              size="sm"
              label={t("playground.temperatureReset")}
              icon={<RotateCcw size={14} aria-hidden />}
              onClick={() => onChange(0)}
            />
          )}
          <span className="w-7 text-right text-sm tabular-nums">{value}</span>
        </span>
      </div>
      <div
        onKeyDownCapture={(event) => {
          if (value !== 0 || !/^Arrow|^Page/.test(event.key)) return;
          // The value 0 is below the slider's range, so the first arrow key moves the slider to the
          // range's start instead of by a step.
          event.preventDefault();
          event.stopPropagation();
          onChange(temperatureMin);
        }}
      >
        <Slider
          aria-label={t("playground.temperature")}
          value={value}
          onChange={onChange}
          min={temperatureMin}
          max={temperatureMax}
          step={temperatureStep}
        />
      </div>
      <span className="text-xs">
        <Muted>{t("playground.temperatureHelp")}</Muted>
      </span>
    </div>
  );
}

function Labelled(props: { id: string; label: string; help?: ReactNode; children: ReactNode }) {
  const { id, label, help, children } = props;
  return (
    <div className="flex min-w-0 flex-col gap-1.5">
      <label id={`${id}-label`} htmlFor={id} className="text-sm font-medium">
        {label}
      </label>
      {children}
      {help !== undefined && help !== null && (
        <span id={`${id}-help`} className="text-xs wrap-anywhere">
          <Muted>{help}</Muted>
        </span>
      )}
    </div>
  );
}

/**
 * Returns the placeholder of the model picker. While the models are being read, and when they
 * cannot be read, it does not claim that there are none.
 */
function placeholderOf(models: ParameterState["models"], t: T): string {
  if (models.isError) return t("playground.chooseModel");
  if (!models.isSuccess || models.isPlaceholderData) return t("playground.loading");
  return models.data.length === 0 ? t("playground.noModel") : t("playground.chooseModel");
}
