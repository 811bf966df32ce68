import { role } from "@tollgate/contract/endpoints/users.ts";
import { useT } from "#i18n/t.ts";
import { Banner } from "#ui/feedback/Banner.tsx";
import { useSession } from "#widgets/server/use-status.ts";
import { useScreen } from "#app/routing/use-screen.ts";
import type { SignInFault } from "./sign-in-fault.ts";

/**
 * The banner that says that sign-in is not safe. Shown to those who are about to type a password,
 * and to root, who can fix it.
 */
export function UnsafeSignIn({ fault }: { readonly fault: Exclude<SignInFault, "none"> }) {
  const t = useT();
  const isSignIn = useScreen()?.frame === "light";
  const isRoot = (useSession()?.role ?? 0) >= role.enum.root;
  if (!isRoot && !(isSignIn && fault === "plain-http")) return null;
  const texts = {
    "plain-http": {
      title: t("shell.plainHttp"),
      body: isRoot ? t("shell.plainHttpRoot") : t("shell.plainHttpBody"),
    },
    "unknown-proxy": { title: t("shell.unknownProxy"), body: t("shell.unknownProxyBody") },
  } as const;
  const { title, body } = texts[fault];
  return (
    <div className="px-4 py-2 max-md:px-2">
      <Banner tone="warning" title={title}>
        {body}
      </Banner>
    </div>
  );
}
