import { Check, Copy } from "lucide-react";
import { useEffect, useState } from "react";
import { useT } from "#i18n/t.ts";
import { Button } from "#ui/controls/Button.tsx";
import type { ButtonSize, ButtonVariant } from "#ui/controls/button-look.ts";
import { IconButton } from "#ui/controls/IconButton.tsx";
import { toastError } from "#ui/overlays/toast.ts";
import { maskSecret } from "./mask-secret.ts";
import { toastCopied } from "./toast-copied.ts";
import { useCopy } from "./use-copy.ts";

/** Milliseconds for which a tick replaces the icon after a copy. */
const tickMs = 1_500;

type Source =
  | { text: string; read?: undefined }
  /** `read` gets the text when the button is pressed, for example a key that is shown masked. */
  | { text?: undefined; read: () => Promise<string> };

/** What the message says in place of a secret that is not a key, such as a password. */
const hidden = "••••••••";

/**
 * A button that copies a text, and a message with the text, in which keys are masked. If the browser
 * refuses the clipboard, a dialog shows the text selected.
 */
export function CopyButton(
  props: Source & {
    label: string;
    /** Whether the message must not show the text, for example a password. */
    secret?: boolean | undefined;
    onCopied?: (() => void) | undefined;
    variant?: ButtonVariant | undefined;
    size?: ButtonSize | undefined;
    iconOnly?: boolean | undefined;
    disabled?: boolean | undefined;
    autoFocus?: boolean | undefined;
  },
) {
  const { text, read, label, secret = false, onCopied, variant, disabled, autoFocus } = props;
  const { size = "sm", iconOnly = false } = props;
  const t = useT();
  const copy = useCopy();
  const [state, setState] = useState<"idle" | "reading" | "copied">("idle");
  useEffect(() => {
    if (state !== "copied") return undefined;
    const timer = setTimeout(() => setState("idle"), tickMs);
    return () => clearTimeout(timer);
  }, [state]);

  async function press() {
    setState("reading");
    try {
      const source = text ?? (await read());
      const copied = await copy(source);
      setState(copied ? "copied" : "idle");
      if (!copied) return;
      toastCopied(secret ? hidden : read === undefined ? source : maskSecret(source));
      onCopied?.();
    } catch (error) {
      setState("idle");
      toastError(error);
    }
  }

  const copied = state === "copied";
  const common = {
    icon: copied ? <Check size={14} aria-hidden /> : <Copy size={14} aria-hidden />,
    loading: state === "reading" && read !== undefined,
    onClick: () => void press(),
    size,
    disabled,
  };
  return iconOnly ? (
    <IconButton {...common} label={copied ? t("ui.copied") : label} variant={variant} />
  ) : (
    <Button {...common} variant={variant} autoFocus={autoFocus}>
      {copied ? t("ui.copied") : label}
    </Button>
  );
}
