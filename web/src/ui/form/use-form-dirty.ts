import { useFormState } from "react-hook-form";
import { useFormWorkings } from "./form-context.ts";

/** Whether something typed into the form around was not saved yet. */
export function useFormDirty(): boolean {
  const { control } = useFormWorkings();
  return useFormState({ control }).isDirty;
}
