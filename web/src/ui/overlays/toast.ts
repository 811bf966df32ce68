/** Short messages at the edge of the page; callable from anywhere, drawn by `ToastHost`. */

import { Toast } from "@base-ui/react/toast";
import { t } from "#i18n/t.ts";
import { describeError } from "#ui/feedback/describe-error.ts";
import type { Tone } from "#ui/tone.ts";

export type ToastContent = {
  readonly tone: Tone;
  readonly title: string;
  readonly description?: string | undefined;
  /** An action, such as undo. It closes the toast. */
  readonly action?: { readonly label: string; readonly onClick: () => void } | undefined;
  /** Milliseconds; 0: until it is closed. Errors stay longer, because they take longer to read. */
  readonly durationMs?: number | undefined;
};

export type ToastData = { readonly tone: Tone; readonly requestId: string | null };

const usualMs = 5_000;
const errorMs = 10_000;

export const toastManager = Toast.createToastManager<ToastData>();

export function toast(content: ToastContent): void {
  show(content, null);
}

/** Shows why something failed, in the words of `provideDescribeError`. */
export function toastError(error: unknown): void {
  const { title, requestId } = describeError(error);
  show({ tone: "danger", title }, requestId);
}

/** Shows what failed, with the reason below it. */
export function toastFailure(title: string, error: unknown): void {
  const { title: description, requestId } = describeError(error);
  show({ tone: "danger", title, description }, requestId);
}

/** Shows that something was saved; `what` replaces the usual words. */
export function toastSaved(what: string): void {
  toast({ tone: "success", title: t("ui.saved"), description: what });
}

/** Open toasts that say what went wrong, and when each was shown. */
const faults = new Map<string, number>();

/** A younger message may be the reason why another page opens, and stays. */
const freshMs = 3_000;

/** For another page: what went wrong on the page before stays behind with it. */
export function leaveFaults(): void {
  closeFaults(performance.now() - freshMs);
}

/** @param shownBefore a time of `performance.now`. */
function closeFaults(shownBefore: number): void {
  for (const [id, shownAt] of faults) if (shownAt <= shownBefore) toastManager.close(id);
}

function show(content: ToastContent, requestId: string | null): void {
  const { tone, title, description, action } = content;
  const urgent = tone === "danger";
  if (tone === "success") closeFaults(performance.now());
  // The same again is shown once, and stays as long as a new one.
  const id = [tone, title, description ?? "", action?.label ?? ""].join("\n");
  if (urgent) faults.set(id, performance.now());
  toastManager.add({
    id,
    onRemove: () => faults.delete(id),
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
