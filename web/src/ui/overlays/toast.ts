/**
 * Short messages at the edge of the page. Any code can call these functions; `ToastHost` draws the
 * messages.
 */

import { Toast } from "@base-ui/react/toast";
import { t } from "#i18n/t.ts";
import { noteFailure } from "#ui/attention/attention.ts";
import { describeError } from "#ui/feedback/describe-error.ts";
import type { Tone } from "#ui/tone.ts";
import { closeFaults, forgetFault, noteFault } from "./open-faults.ts";

export type ToastContent = {
  readonly tone: Tone;
  readonly title: string;
  readonly description?: string | undefined;
  /** A button for an action, such as undo. Pressing it closes the toast. */
  readonly action?: { readonly label: string; readonly onClick: () => void } | undefined;
  /**
   * Milliseconds for which the toast is shown; 0: until the user closes it. By default longer for
   * errors, because they take longer to read.
   */
  readonly durationMs?: number | undefined;
};

export type ToastData = { readonly tone: Tone; readonly requestId: string | null };

const usualMs = 5_000;
const errorMs = 10_000;

export const toastManager = Toast.createToastManager<ToastData>();

export function toast(content: ToastContent): void {
  show(content, null);
}

/** Shows why something failed, in the words of the function given to `provideDescribeError`. */
export function toastError(error: unknown): void {
  const { title, requestId } = describeError(error);
  show({ tone: "danger", title }, requestId);
}

/** Shows what failed as the title, and the reason below it. */
export function toastFailure(title: string, error: unknown): void {
  const { title: description, requestId } = describeError(error);
  show({ tone: "danger", title, description }, requestId);
}

/** Shows that something was saved, with `what` below the title. */
export function toastSaved(what: string): void {
  toast({ tone: "success", title: t("ui.saved"), description: what });
}

function show(content: ToastContent, requestId: string | null): void {
  const { tone, title, description, action } = content;
  const urgent = tone === "danger";
  if (tone === "success") closeFaults(0);
  // The same message has the same id, so that it is shown only once and its time starts again.
  const id = [tone, title, description ?? "", action?.label ?? ""].join("\n");
  if (urgent) {
    noteFault(id, () => toastManager.close(id));
    noteFailure(id);
  }
  toastManager.add({
    id,
    onRemove: () => forgetFault(id),
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
