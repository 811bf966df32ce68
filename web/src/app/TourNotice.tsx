import { useT } from "#i18n/t.ts";
import { Button } from "#ui/controls/Button.tsx";
import { Banner } from "#ui/feedback/Banner.tsx";
import { useSession, useStatus } from "#widgets/server/use-status.ts";
import { useSignOut } from "#app/shell/use-sign-out.ts";

/** Says in a demo that its calls are made up, and to a visitor that nothing can be changed. */
export function TourNotice() {
  const t = useT();
  const session = useSession();
  const status = useStatus();
  const signOut = useSignOut();
  if (session?.only_reads !== true || status?.demo_tour_enabled !== true) return null;
  return (
    <div className="px-4 py-2 max-md:px-2">
      <Banner
        tone="info"
        title={t("shell.tour")}
        action={
          <Button size="sm" onClick={() => void signOut()}>
            {t("shell.tourEnd")}
          </Button>
        }
      >
        {t("shell.tourBody")}
      </Banner>
    </div>
  );
}
