import type { OwnLog } from "@tollgate/contract/endpoints/logs.ts";
import { showQuota } from "#display/quota.ts";
import { useT } from "#i18n/t.ts";
import { LinkButton } from "#ui/controls/LinkButton.tsx";
import { Banner } from "#ui/feedback/Banner.tsx";
import { LiveDot } from "#ui/feedback/LiveDot.tsx";
import { Card } from "#ui/layout/Card.tsx";
import { DescriptionList } from "#ui/layout/DescriptionList.tsx";
import { useQuotaDisplay } from "#widgets/money/use-quota-display.ts";
import { showMessage } from "#widgets/server/server-message.ts";
import { useFirstCall } from "./connect.api.ts";

/** Waits for the program's first call with this key, and then shows its bill. */
export function FirstCall({ tokenId }: { readonly tokenId: number }) {
  const t = useT();
  const { data } = useFirstCall(tokenId);
  const charged = data?.charged ?? null;
  const failed = data?.failed ?? null;
  return (
    <div role="status" className="flex flex-col gap-3">
      {charged === null ? (
        <p className="flex items-center gap-2 text-sm">
          <LiveDot /> {t("connect.waiting")}
        </p>
      ) : (
        <Bill row={charged} />
      )}
      {charged === null && failed !== null && (
        <Banner
          tone="warning"
          title={t("connect.failed", { model: failed.model_name })}
          action={
            <LinkButton to="/log" search={{ request_id: failed.request_id }} size="sm">
              {t("connect.log")}
            </LinkButton>
          }
        >
          {showMessage(failed.content, t)}
        </Banner>
      )}
    </div>
  );
}

/** What the first call has cost, and for what. */
function Bill({ row }: { readonly row: OwnLog }) {
  const t = useT();
  const display = useQuotaDisplay();
  const whole = (count: number) => count.toLocaleString("en-US");
  return (
    <Card>
      <h2 className="mb-3 text-lg font-semibold">{t("connect.works")}</h2>
      <DescriptionList
        columns={2}
        items={[
          { label: t("connect.model"), value: row.model_name },
          { label: t("connect.input"), value: whole(row.prompt_tokens) },
          { label: t("connect.cost"), value: showQuota(row.quota, display) },
          { label: t("connect.output"), value: whole(row.completion_tokens) },
        ]}
      />
      <div className="mt-3">
        <LinkButton to="/log" search={{ request_id: row.request_id }}>
          {t("connect.log")}
        </LinkButton>
      </div>
    </Card>
  );
}
