import { useSearch } from "@tanstack/react-router";
import type { Conversation } from "@tollgate/contract/endpoints/conversations.ts";
import { useT } from "#i18n/t.ts";
import { LinkButton } from "#ui/controls/LinkButton.tsx";
import { Empty } from "#ui/feedback/Empty.tsx";
import { ErrorState } from "#ui/feedback/ErrorState.tsx";
import { Skeleton } from "#ui/feedback/Skeleton.tsx";
import { Card } from "#ui/layout/Card.tsx";
import { Page } from "#ui/layout/Page.tsx";
import { PageHeader } from "#ui/layout/PageHeader.tsx";
import { useConversation } from "./conversations.api.ts";
import { ConversationSums } from "./ConversationSums.tsx";
import { ShareLinks } from "./ShareLinks.tsx";
import { TurnList } from "./TurnList.tsx";

/** `/conversation`: the turns of a conversation, one under the other, with their sums. */
export function ConversationScreen() {
  const t = useT();
  const search: Readonly<Record<string, unknown>> = useSearch({ strict: false });
  const id = idIn(search["id"]);
  if (id !== null) return <Known id={id} />;
  return (
    <Page>
      <PageHeader title={t("conversations.title")} />
      <Empty
        title={t("conversations.noneTitle")}
        description={t("conversations.noneText")}
        action={<LinkButton to="/log">{t("conversations.toLog")}</LinkButton>}
      />
    </Page>
  );
}

function idIn(text: unknown): number | null {
  const id = typeof text === "string" || typeof text === "number" ? Number(text) : 0;
  return Number.isSafeInteger(id) && id > 0 ? id : null;
}

function Known({ id }: { readonly id: number }) {
  const t = useT();
  const { data, error, refetch } = useConversation(id);
  return (
    <Page>
      <PageHeader
        title={t("conversations.title")}
        description={data === undefined ? null : describe(data, t("conversations.of"))}
        actions={
          <LinkButton to="/log" search={{ conversation_id: String(id), ...timesOf(data) }}>
            {t("conversations.inLog")}
          </LinkButton>
        }
      />
      {data === undefined && error === null && <Skeleton height={240} />}
      {data === undefined && error !== null && (
        <ErrorState error={error} onRetry={() => void refetch()} />
      )}
      {data !== undefined && (
        <>
          <ConversationSums sums={data.sums} isCut={data.is_cut} />
          <Card title={<h2>{t("conversations.turns")}</h2>} flush>
            <TurnList
              turns={data.turns}
              count={data.sums.calls}
              linkOf={linkOf}
              toolsOf={toolsOf}
            />
          </Card>
          <ShareLinks id={id} />
        </>
      )}
    </Page>
  );
}

function describe({ username }: Conversation, of: string): string | null {
  return username === "" ? null : `${of} ${username}`;
}

/** The log shows today alone where no time is named. */
function timesOf(data: Conversation | undefined) {
  return data === undefined ? {} : { start: data.sums.first_at, end: data.sums.last_at };
}

type Turn = Conversation["turns"][number];

function toolsOf({ tools }: Turn): readonly string[] {
  return tools;
}

/** The log with the turn's row, unfolded. */
function linkOf({ id, request_id, seconds, started_at }: Turn) {
  const end = started_at + seconds;
  return { to: "/log", search: { request_id, start: end, end, expanded: String(id) } };
}
