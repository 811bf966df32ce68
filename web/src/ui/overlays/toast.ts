/** Short news at the edge of the page; callable from anywhere, drawn by `ToastHost`. */

import { Toast } from "@base-ui/react/toast";
import { describeError } from "#ui/feedback/describe-error.ts";
import type { Tone } from "#ui/tone.ts";

export type ToastContent = {
  readonly tone: Tone;
  readonly title: string;
  readonly description?: string | undefined;
  /** The one thing to do about it, such as to undo it. Closes the toast. */
  readonly action?: { readonly label: string; readonly onClick: () => void } | undefined;
  /** 0: until it is closed. Errors stay longer, because they are read twice. */
  readonly durationMs?: number | undefined;
};

export type ToastData = { readonly tone: Tone; readonly requestId: string | null };

const usualMs = 5_000;
const errorMs = 10_000;

export const toastManager = Toast.createToastManager<ToastData>();

export function toast(content: ToastContent): void {
  show(content, null);
}

/** Says why something failed, in the words of `provideDescribeError`. */
export function toastError(error: unknown): void {
  const { title, requestId } = describeError(error);
  show({ tone: "danger", title }, requestId);
}

function show(content: ToastContent, requestId: string | null): void {
  const { tone, title, description, action } = content;
  const urgent = tone === "danger";
  const id = toastManager.add({
    title,
    description,
    priority: urgent ? "high" : "low",
    timeout: content.durationMs ?? (urgent ? errorMs : usualMs),
    data: { tone, requestId },
    ...(action === undefined
      ? {}
      : {
          actionProps: {
            children: action.label,
            onClick() {
              toastManager.close(id);
              action.onClick();
            },
          },
        }),
  });
}
