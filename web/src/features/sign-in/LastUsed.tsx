import { useT } from "#i18n/t.ts";
import { Badge } from "#ui/feedback/Badge.tsx";
import { isLastMethod, type SignInMethod } from "./last-method.ts";

/** A mark on the sign-in method that was used last in this browser. */
export function LastUsed({ method }: { readonly method: SignInMethod }) {
  const t = useT();
  return isLastMethod(method) ? <Badge tone="accent">{t("signIn.lastUsed")}</Badge> : null;
}
