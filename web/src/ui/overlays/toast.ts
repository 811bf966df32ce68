/** Short news at the edge of the page; callable from anywhere, drawn by `ToastHost`. */

import { Toast } from "@base-ui/react/toast";
import { t } from "#i18n/t.ts";
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

/** Says what failed, and why below it. */
export function toastFailure(title: string, error: unknown): void {
  const { title: description, requestId } = describeError(error);
  show({ tone: "danger", title, description }, requestId);
}

/** Says that something was saved; `what` in words of its own. */
export function toastSaved(what: string): void {
  toast({ tone: "success", title: t("ui.saved"), description: what });
}

/** Answers who submits again what is still on its way. */
export function toastRepeated(): void {
  toast({ tone: "warning", title: t("ui.formRepeated") });
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
