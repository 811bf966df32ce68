import { useLocation, useNavigate } from "@tanstack/react-router";
import { type ReactNode, useEffect } from "react";
import { role } from "@tollgate/contract/users.ts";
import { useT } from "#i18n/t.ts";
import { LinkButton } from "#ui/controls/LinkButton.tsx";
import { Empty } from "#ui/feedback/Empty.tsx";
import { ErrorState } from "#ui/feedback/ErrorState.tsx";
import { Skeleton } from "#ui/feedback/Skeleton.tsx";
import { Page } from "#ui/layout/Page.tsx";
import { PageHeader } from "#ui/layout/PageHeader.tsx";
import { chatLinks } from "#widgets/chat/chat-links.ts";
import { keepReturnAddress } from "#widgets/sign-in/return-address.ts";
import { useSession, useStatusState } from "#widgets/server/use-status.ts";
import { ChatPanel } from "./ChatPanel.tsx";
import { chosenChat } from "./chosen-chat.ts";

/**
 * `/chat`, `/chat/{id}`, `/chat2link`: a chat client that the operator configured. It gets the key
 * of one of the user's tokens.
 */
export function ChatScreen() {
  const state = useStatusState();
  const session = useSession();
  const path = useLocation({ select: ({ pathname }) => pathname });
  if (state.kind !== "ready") {
    return (
      <Titled>
        {state.kind === "failed" ? <ErrorState error={state.error} /> : <Skeleton height={200} />}
      </Titled>
    );
  }
  const { status } = state;
  const links = chatLinks(status.chats);
  const [first] = links;
  if (first === undefined) return <NoneConfigured />;
  const place = chosenChat(path, status);
  const link = place === null ? undefined : links[place];
  if (place === null || link === undefined) return <Unknown first={first.name} />;
  if (session === null) return <ToSignIn path={path} />;
  return <ChatPanel links={links} link={link} place={place} status={status} userId={session.id} />;
}

function NoneConfigured() {
  const t = useT();
  const isRoot = (useSession()?.role ?? 0) >= role.enum.root;
  return (
    <Titled>
      <Empty
        picture="talk"
        title={t("chat.noneTitle")}
        description={t("chat.noneBody")}
        action={
          isRoot ? (
            <LinkButton to="/setting" search={{ tab: "other" }}>
              {t("chat.configure")}
            </LinkButton>
          ) : null
        }
      />
    </Titled>
  );
}

function Unknown({ first }: { readonly first: string }) {
  const t = useT();
  return (
    <Titled>
      <Empty
        title={t("chat.unknownTitle")}
        description={t("chat.unknownBody")}
        action={<LinkButton to="/chat/0">{t("chat.openFirst", { name: first })}</LinkButton>}
      />
    </Titled>
  );
}

/** Asks a visitor to sign in, and returns to the chat after that. */
function ToSignIn({ path }: { readonly path: string }) {
  const navigate = useNavigate();
  useEffect(() => {
    keepReturnAddress(path, null);
    void navigate({ to: "/login", search: { expired: "true" }, replace: true });
  }, [navigate, path]);
  return (
    <Titled>
      <Skeleton height={200} />
    </Titled>
  );
}

function Titled({ children }: { readonly children: ReactNode }) {
  const t = useT();
  return (
    <Page narrow>
      <PageHeader title={t("app.screenChat")} />
      {children}
    </Page>
  );
}
