import { t } from "#i18n/t.ts";
import { toast } from "#ui/overlays/toast.ts";
import { maskSecret } from "./mask-secret.ts";

/** The longest part of a copied text that the message shows, in characters. */
const shownMax = 60;

const apiKeys = /sk-[\w-]{8,}/g;

/** Says what was copied: the beginning of a text, with API keys in it masked. */
export function toastCopied(text: string): void {
  const line = text.trim().replaceAll(/\s+/g, " ").replaceAll(apiKeys, maskSecret);
  const shown = line.length > shownMax ? `${line.slice(0, shownMax)}…` : line;
  toast({ tone: "success", title: t("ui.copiedText", { text: shown }) });
}
