import { type ReactNode, use, useEffect } from "react";
import { useController, useWatch } from "react-hook-form";
import { useT } from "#i18n/t.ts";
import { FieldFrame, type FramedControl } from "./FieldFrame.tsx";
import { fieldId, type FormWorkings, SectionContext, useFormWorkings } from "./form-context.ts";

export type FieldProps = {
  name: string;
  label: string;
  /** A button beside the label that explains the label's word, such as `HelpButton`. */
  about?: ReactNode;
  /** One sentence below the control. */
  help?: ReactNode;
  required?: boolean;
  disabled?: boolean;
};

type FieldControl = FramedControl & {
  value: unknown;
  onChange: (value: unknown) => void;
  onBlur: () => void;
  disabled: boolean;
  "aria-required": boolean | undefined;
};

/** A field of a form: the label above, the control, then help and error. */
export function Field(
  props: FieldProps & {
    secret?: boolean;
    /** The field consists of several controls, so the label names their group. */
    grouped?: boolean;
    /** The control draws the label itself, as a switch does. */
    labelled?: boolean;
    children: (control: FieldControl) => ReactNode;
  },
) {
  const { name, label, help, required = false, disabled = false, secret = false } = props;
  const t = useT();
  const form = useFormWorkings();
  const section = use(SectionContext);
  const { field, fieldState } = useController({ name, control: form.control });
  const { noteField } = form;
  useEffect(
    () => noteField(name, { label, section, secret }),
    [noteField, name, label, section, secret],
  );
  const error = fieldState.error?.message;
  return (
    <FieldFrame
      id={fieldId(form.id, name)}
      name={name}
      label={label}
      about={props.about}
      help={help}
      error={error === "" ? t("ui.formInvalidValue") : error}
      required={required}
      grouped={props.grouped === true}
      labelled={props.labelled === true}
    >
      {(control) =>
        props.children({
          ...control,
          value: field.value,
          onChange(value) {
            field.onChange(value);
            // The server refused the value that the field had before.
            if (fieldState.error?.type === "server") form.clearRefusals();
          },
          onBlur: field.onBlur,
          disabled,
          "aria-required": required ? true : undefined,
        })
      }
    </FieldFrame>
  );
}

/** Returns the current value of the field `name` of the form around the component. */
export function useFormValue(name: string): unknown {
  const { control } = useFormWorkings();
  return useWatch({ control, name });
}

/** Returns what all fields of the form around have now. */
export function useFormValues(): unknown {
  const { control } = useFormWorkings();
  return useWatch({ control });
}

/**
 * Returns the functions that show a refusal of the server at the field that it names, and remove it
 * again, for calls other than the form's submit.
 */
export function useRefusals(): Pick<FormWorkings, "showRefusal" | "clearRefusals"> {
  return useFormWorkings();
}

/** Returns a function that sets a field of the form from outside of its control, as presets do. */
export function useSetFormValue(): (name: string, value: unknown) => void {
  return useFormWorkings().setValue;
}
