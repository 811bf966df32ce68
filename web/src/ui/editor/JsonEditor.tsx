import { AlignLeft, CircleAlert, CircleCheck } from "lucide-react";
import { lazy, Suspense, useEffect, useState } from "react";
import type { T } from "#i18n/t.ts";
import { useT } from "#i18n/t.ts";
import { Button } from "#ui/controls/Button.tsx";
import { Textarea } from "#ui/controls/Textarea.tsx";
import { findJsonFault, type JsonFault } from "./json-fault.ts";
import { formatJson } from "./json-text.ts";

const CodeEditor = lazy(async () => ({ default: (await import("./CodeEditor.tsx")).CodeEditor }));

type JsonEditorProps = {
  value: string;
  onChange: (value: string) => void;
  /** Called when the editor appears and at each change. Empty text counts as valid. */
  onValidity?: (valid: boolean) => void;
  /** The height in pixels. */
  height?: number;
  /** The editor's name for screen readers. */
  label?: string;
  id?: string;
  invalid?: boolean;
  disabled?: boolean;
  "aria-describedby"?: string | undefined;
};

/**
 * An editor for JSON as text: shows errors with their line, formats, undoes. On touch screens it is
 * a plain text area, because CodeMirror interferes with the on-screen keyboard and the selection
 * handles.
 */
export function JsonEditor(props: JsonEditorProps) {
  const { value, onChange, onValidity, height = 220, disabled = false } = props;
  const t = useT();
  const label = props.label ?? t("ui.editorLabel");
  const fault = value.trim() === "" ? null : findJsonFault(value);
  const valid = fault === null || fault.kind === "duplicate";
  useEffect(() => onValidity?.(valid), [onValidity, valid]);
  const formatted = formatJson(value);
  const plain = (
    <Textarea
      id={props.id}
      aria-label={label}
      aria-describedby={props["aria-describedby"]}
      value={value}
      invalid={props.invalid === true || !valid}
      disabled={disabled}
      fixedWidth
      spellCheck={false}
      autoCapitalize="none"
      rows={Math.round(height / 20)}
      onChange={(event) => onChange(event.target.value)}
    />
  );
  const [isTouch] = useState(() => matchMedia("(pointer: coarse)").matches);
  return (
    <div className="flex flex-col gap-1.5">
      {isTouch ? (
        plain
      ) : (
        <Suspense fallback={plain}>
          <CodeEditor
            id={props.id}
            label={label}
            describedBy={props["aria-describedby"]}
            value={value}
            onChange={onChange}
            height={height}
            invalid={props.invalid === true || !valid}
            disabled={disabled}
            faultText={(found) => faultText(found, t)}
          />
        </Suspense>
      )}
      <div className="flex min-h-7 items-center justify-between gap-2 text-xs">
        <span role="status" className="flex min-w-0 items-center gap-1.5">
          <Validity value={value} fault={fault} />
        </span>
        <Button
          size="sm"
          variant="ghost"
          icon={<AlignLeft size={14} aria-hidden />}
          disabled={disabled || formatted === null || formatted === value}
          onClick={() => formatted !== null && onChange(formatted)}
        >
          {t("ui.editorFormat")}
        </Button>
      </div>
    </div>
  );
}

function Validity({ value, fault }: { value: string; fault: JsonFault | null }) {
  const t = useT();
  if (value.trim() === "") return null;
  if (fault === null) {
    return (
      <>
        <CircleCheck size={14} aria-hidden className="shrink-0 text-success-ink" />
        <span className="text-muted">{t("ui.editorValid")}</span>
      </>
    );
  }
  const tone = fault.kind === "duplicate" ? "text-warning-ink" : "text-danger-ink";
  return (
    <>
      <CircleAlert size={14} aria-hidden className={`shrink-0 ${tone}`} />
      <span className={tone}>
        {t("ui.editorInvalid", { line: fault.line, message: faultText(fault, t) })}
      </span>
    </>
  );
}

function faultText({ kind }: JsonFault, t: T): string {
  switch (kind) {
    case "end":
      return t("ui.editorFaultEnd");
    case "unexpected":
      return t("ui.editorFaultUnexpected");
    case "string":
      return t("ui.editorFaultString");
    case "duplicate":
      return t("ui.editorDuplicate");
  }
}
