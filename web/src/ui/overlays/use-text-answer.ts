import { useState } from "react";
import type { TextQuestion } from "./use-text-question.ts";

/** The typed text in the dialog of a `TextQuestion`; cleared once it is answered. */
export function useTextAnswer({ answer }: TextQuestion) {
  const [text, setText] = useState("");
  return {
    text,
    setText,
    /** Null: the user cancelled. */
    close(given: string | null) {
      setText("");
      answer(given);
    },
  };
}
