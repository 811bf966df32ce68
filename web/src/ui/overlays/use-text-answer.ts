import { useState } from "react";
import type { TextQuestion } from "./use-text-question.ts";

/** What is typed into the dialog of a `TextQuestion`; forgotten once it is answered. */
export function useTextAnswer({ answer }: TextQuestion) {
  const [text, setText] = useState("");
  return {
    text,
    setText,
    /** Null: the user thought better of it. */
    close(given: string | null) {
      setText("");
      answer(given);
    },
  };
}
