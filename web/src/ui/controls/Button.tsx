import type { ComponentProps, MouseEvent, ReactNode } from "react";
import { Spinner } from "#ui/feedback/Spinner.tsx";
import { type ButtonSize, type ButtonVariant, buttonLook } from "./button-look.ts";

type ButtonProps = Omit<ComponentProps<"button">, "className" | "style"> & {
  variant?: ButtonVariant | undefined;
  size?: ButtonSize | undefined;
  icon?: ReactNode;
  /**
   * Shows a spinner in the place of the icon and takes no further press. Where `type` is `submit`,
   * a press tells so: whoever submits again wonders whether the first one counted.
   */
  loading?: boolean | undefined;
};

export function Button(props: ButtonProps) {
  const { variant = "default", size = "md", icon, loading = false, type = "button" } = props;
  const { disabled = false, children, onClick, ...rest } = props;
  const { variant: _, size: _size, icon: _icon, loading: _loading, ...native } = rest;

  function handleRepeat(event: MouseEvent<HTMLButtonElement>): void {
    event.preventDefault();
    if (type === "submit") sayRepeated();
  }

  return (
    <button
      {...native}
      type={type}
      disabled={disabled}
      aria-busy={loading || undefined}
      // Not `disabled` while it works: that would throw the focus away.
      aria-disabled={loading || undefined}
      onClick={loading ? handleRepeat : onClick}
      className={buttonLook(variant, size, disabled)}
    >
      {loading ? <Spinner /> : icon}
      {children}
    </button>
  );
}

/** Loaded when it is needed: toasts are a fifth of what the sign-in page weighs. */
function sayRepeated(): void {
  void import("#ui/overlays/toast.ts").then(({ toastRepeated }) => toastRepeated());
}
