import { type ComponentProps, type MouseEvent, type ReactNode, useEffect, useRef } from "react";
import { Spinner } from "#ui/feedback/Spinner.tsx";
import { type ButtonSize, type ButtonVariant, buttonLook } from "./button-look.ts";

type ButtonProps = Omit<ComponentProps<"button">, "className" | "style"> & {
  variant?: ButtonVariant | undefined;
  size?: ButtonSize | undefined;
  icon?: ReactNode;
  /**
   * While `loading`, a spinner replaces the icon and a press does nothing. A press on a `submit`
   * button then shows a toast, so that the user knows that the first press counted.
   */
  loading?: boolean | undefined;
};

export function Button(props: ButtonProps) {
  const { variant = "default", size = "md", icon, loading = false, type = "button" } = props;
  const { disabled = false, children, onClick, ...rest } = props;
  const { variant: _, size: _size, icon: _icon, loading: _loading, ...native } = rest;

  const isRepeated = useRef(false);
  // The toast is closed when the first press has its result, because it may be wrong then.
  useEffect(() => {
    if (!loading) return undefined;
    return () => {
      if (isRepeated.current) void loadToasts().then(({ closeRepeated }) => closeRepeated());
      isRepeated.current = false;
    };
  }, [loading]);

  function handleRepeat(event: MouseEvent<HTMLButtonElement>): void {
    event.preventDefault();
    if (type !== "submit") return;
    isRepeated.current = true;
    void loadToasts().then(({ toastRepeated }) => toastRepeated());
  }

  return (
    <button
      {...native}
      type={type}
      disabled={disabled}
      aria-busy={loading || undefined}
      // Not `disabled` while loading: the browser would take the focus away.
      aria-disabled={loading || undefined}
      onClick={loading ? handleRepeat : onClick}
      className={buttonLook(variant, size, disabled)}
    >
      {loading ? <Spinner /> : icon}
      {children}
    </button>
  );
}

/** Loaded when needed: toasts are a fifth of the sign-in page's weight. */
async function loadToasts() {
  return await import("#ui/overlays/toast.ts");
}
