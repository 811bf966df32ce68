import { useState } from "react";
import { showTime } from "#display/time.ts";
import { useT } from "#i18n/t.ts";
import { Empty } from "#ui/feedback/Empty.tsx";
import { ErrorState } from "#ui/feedback/ErrorState.tsx";
import { Skeleton } from "#ui/feedback/Skeleton.tsx";
import { Card } from "#ui/layout/Card.tsx";
import { Page } from "#ui/layout/Page.tsx";
import { PageHeader } from "#ui/layout/PageHeader.tsx";
import { useShared } from "./conversations.api.ts";
import { ConversationSums } from "./ConversationSums.tsx";
import { TurnList } from "./TurnList.tsx";

/**
 * `/shared`: the figures of a conversation, for whoever has the link. Its secret stands behind the
 * `#`, which browsers do not send.
 */
export function SharedScreen() {
  const t = useT();
  const [secret] = useState(() => location.hash.slice(1));
  return (
    <Page>
      {secret === "" ? (
        <>
          <PageHeader title={t("conversations.title")} />
          <Empty title={t("conversations.badLink")} description={t("conversations.badLinkText")} />
        </>
      ) : (
        <Shared secret={secret} />
      )}
    </Page>
  );
}

function Shared({ secret }: { readonly secret: string }) {
  const t = useT();
  const { data, error, refetch } = useShared(secret);
  if (data === undefined) {
    if (error === null) return <Skeleton height={240} />;
    return (
      <>
        <PageHeader title={t("conversations.title")} />
        <ErrorState error={error} onRetry={() => void refetch()} />
      </>
    );
  }
  return (
    <>
      <PageHeader
        title={t("conversations.title")}
        description={t("conversations.sharedUntil", { time: showTime(data.expires_at, "–") })}
      />
      <ConversationSums sums={data.sums} isCut={data.is_cut} />
      <Card title={<h2>{t("conversations.turns")}</h2>} flush>
        {/* Nothing else on this page takes the focus, by which the keyboard scrolls it. */}
        <div role="region" aria-label={t("conversations.turns")} tabIndex={0}>
          <TurnList turns={data.turns} count={data.sums.calls} />
        </div>
      </Card>
    </>
  );
}
