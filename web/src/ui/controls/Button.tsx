/** A button with a text. */

import type { ComponentProps, MouseEvent, ReactNode } from "react";
import { Spinner } from "#ui/feedback/Spinner.tsx";
import { type ButtonSize, type ButtonVariant, buttonLook } from "./button-look.ts";

type ButtonProps = Omit<ComponentProps<"button">, "className" | "style"> & {
  variant?: ButtonVariant | undefined;
  size?: ButtonSize | undefined;
  icon?: ReactNode;
  /**
   * Whether the action that a press started is still running. A spinner then replaces the icon, and
   * further presses do nothing.
   */
  loading?: boolean | undefined;
  /** Whether a long label is broken into lines; for names that users give. */
  wraps?: boolean | undefined;
};

export function Button(props: ButtonProps) {
  const { variant = "default", size = "md", icon, loading = false, type = "button" } = props;
  const { disabled = false, children, onClick, ...rest } = props;
  const { variant: _, size: _size, icon: _icon, loading: _loading, wraps, ...native } = rest;

  return (
    <button
      {...native}
      type={type}
      disabled={disabled}
      aria-busy={loading || undefined}
      // A loading button is only marked as disabled: a really disabled one would lose the focus.
      aria-disabled={loading || undefined}
      onClick={loading ? ignorePress : onClick}
      className={buttonLook(variant, size, disabled, wraps === true ? "wrapped" : "one-line")}
    >
      {loading ? <Spinner /> : icon}
      {children}
    </button>
  );
}

/**
 * Ignores a press while the button is loading; preventing the default also stops a `submit` button
 * from submitting again.
 */
function ignorePress(event: MouseEvent<HTMLButtonElement>): void {
  event.preventDefault();
}
