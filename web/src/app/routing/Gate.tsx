import { type ComponentType, lazy, Suspense } from "react";
import { role } from "@tollgate/contract/endpoints/users.ts";
import { useT, withTexts } from "#i18n/t.ts";
import { useSession, useStatus } from "#widgets/server/use-status.ts";
import { isOffered } from "#app/shell/side-menu-entries.ts";
import { NoPermission } from "./NoPermission.tsx";
import type { Screen } from "#app/screen.ts";
import { useDocumentTitle } from "./use-document-title.ts";

const NewPasswordScreen = lazy(async () => ({
  default: (await withTexts("security", import("#features/sign-in/NewPasswordScreen.tsx")))
    .NewPasswordScreen,
}));

const NotOffered = lazy(async () => ({
  default: (await import("./NotOffered.tsx")).NotOffered,
}));

/**
 * Wraps a screen, so that only users whose role may see it do. The router has already asked for a
 * sign-in.
 */
export function gated(screen: Screen, Shown: ComponentType): ComponentType {
  const { access, title } = screen;
  return function Gate() {
    const t = useT();
    const status = useStatus();
    const session = useSession();
    useDocumentTitle(t(title));
    if (!isOffered(screen, status)) {
      return (
        <Suspense>
          <NotOffered />
        </Suspense>
      );
    }
    if (access === "public") return <Shown />;
    // Shows nothing: the user has just signed out, and the router is about to show the sign-in
    // screen.
    if (session === null) return null;
    if (session.password_expired === true) {
      return (
        <Suspense>
          <NewPasswordScreen username={session.username} />
        </Suspense>
      );
    }
    return session.role >= role.enum[access] ? <Shown /> : <NoPermission access={access} />;
  };
}
