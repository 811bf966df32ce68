import { z } from "zod";
import { useT } from "#i18n/t.ts";
import { Button } from "#ui/controls/Button.tsx";
import { Banner } from "#ui/feedback/Banner.tsx";
import { openStored } from "#ui/table/views/stored.ts";

/** Whether a warning was read in this browser. */
const readings = openStored("read", z.boolean().catch(false));

const id = "sharing-warning";

/**
 * Says what tokens cannot do, to whoever manages those of all users, and how budgets hold here. Once
 * read, the warning is one quiet line.
 */
export function SharingWarning() {
  const t = useT();
  const isRead = readings.use(id);
  const fold = (read: boolean) => readings.write(id, read);
  if (isRead) {
    return (
      <div className="flex min-w-0">
        <Button size="sm" variant="ghost" aria-expanded={false} onClick={() => fold(false)}>
          {t("tokens.sharingUnfold")}
        </Button>
      </div>
    );
  }
  return (
    <Banner
      tone="warning"
      title={t("tokens.sharingWarning")}
      action={
        <Button size="sm" onClick={() => fold(true)}>
          {t("tokens.sharingRead")}
        </Button>
      }
    >
      {t("tokens.sharingHow")}
    </Banner>
  );
}
