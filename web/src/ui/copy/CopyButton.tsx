import { Check, Copy } from "lucide-react";
import { useEffect, useState } from "react";
import { useT } from "#i18n/t.ts";
import { Button } from "#ui/controls/Button.tsx";
import type { ButtonSize, ButtonVariant } from "#ui/controls/button-look.ts";
import { IconButton } from "#ui/controls/IconButton.tsx";
import { toastError } from "#ui/overlays/toast.ts";
import { useCopy } from "./use-copy.ts";

/** Milliseconds for which a tick replaces the icon after a copy. */
const tickMs = 1_500;

type Source =
  | { text: string; read?: undefined }
  /** `read` gets the text when the button is pressed, for example a key that is shown masked. */
  | { text?: undefined; read: () => Promise<string> };

/**
 * A button that copies a text. If the browser refuses the clipboard, a dialog shows the text
 * selected.
 */
export function CopyButton(
  props: Source & {
    label: string;
    onCopied?: (() => void) | undefined;
    variant?: ButtonVariant | undefined;
    size?: ButtonSize | undefined;
    iconOnly?: boolean | undefined;
    disabled?: boolean | undefined;
  },
) {
  const { text, read, label, onCopied, variant, size = "sm", iconOnly = false, disabled } = props;
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
      const copied = await copy(text ?? (await read()));
      setState(copied ? "copied" : "idle");
      if (copied) onCopied?.();
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
  return (
    <>
      {iconOnly ? (
        <IconButton {...common} label={copied ? t("ui.copied") : label} variant={variant} />
      ) : (
        <Button {...common} variant={variant}>
          {copied ? t("ui.copied") : label}
        </Button>
      )}
      <span role="status" className="sr-only">
        {copied && t("ui.copied")}
      </span>
    </>
  );
}
