import { useFormState } from "react-hook-form";
import { useFormWorkings } from "./form-context.ts";

/** Whether the form around the component has unsaved changes. */
export function useFormDirty(): boolean {
  const { control } = useFormWorkings();
  return useFormState({ control }).isDirty;
}
