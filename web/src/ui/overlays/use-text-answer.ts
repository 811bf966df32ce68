import { useState } from "react";
import type { TextQuestion } from "./use-text-question.ts";

/**
 * Returns the text that the user types into the dialog of a `TextQuestion`; cleared once the
 * question is answered.
 */
export function useTextAnswer({ answer }: TextQuestion) {
  const [text, setText] = useState("");
  return {
    text,
    setText,
    /** Answers the question; null: the user cancelled. */
    close(given: string | null) {
      setText("");
      answer(given);
    },
  };
}
