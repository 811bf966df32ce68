import { useLocation, useNavigate } from "@tanstack/react-router";
import { type ReactNode, useEffect } from "react";
import { role } from "@tollgate/contract/endpoints/users.ts";
import { readExpiredUserId } from "#api/session.ts";
import { useT } from "#i18n/t.ts";
import { ownAddress } from "#page/base-path.ts";
import { LinkButton } from "#ui/controls/LinkButton.tsx";
import { ErrorState } from "#ui/feedback/ErrorState.tsx";
import { Skeleton } from "#ui/feedback/Skeleton.tsx";
import { Page } from "#ui/layout/Page.tsx";
import { PageHeader } from "#ui/layout/PageHeader.tsx";
import { StatePage } from "#ui/layout/StatePage.tsx";
import { toast } from "#ui/overlays/toast.ts";
import { chatLinks, chatUrl } from "#widgets/chat/chat-links.ts";
import { takeDamagedChats } from "#widgets/chat/stored-chats.ts";
import { serverUrlOf } from "#widgets/server/server-url.ts";
import { keepReturnAddress } from "#widgets/sign-in/return-address.ts";
import { useSession, useStatusState } from "#widgets/server/use-status.ts";
import { ChatPanel } from "./ChatPanel.tsx";
import { chosenChat } from "./chosen-chat.ts";

/**
 * `/chat`, `/chat/{id}`, `/chat2link`: a chat client that the operator configured. It gets the key
 * of one of the user's tokens.
 */
export function ChatScreen() {
  const t = useT();
  useEffect(() => {
    // Later, because on the first page what draws the messages is mounted after the screen.
    const timer = setTimeout(() => {
      if (takeDamagedChats()) toast({ tone: "danger", title: t("chat.damaged") });
    });
    return () => clearTimeout(timer);
  }, [t]);
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
  const serverUrl = serverUrlOf(status.server_address, ownAddress());
  if (chatUrl(link.template, serverUrl, "") === null) return <BadLink name={link.name} />;
  return (
    <ChatPanel
      links={links}
      link={link}
      place={place}
      status={status}
      userId={session.id}
      leaves={path.startsWith("/chat2link")}
    />
  );
}

/** Says that a client's link is no address, which only an administrator can change. */
function BadLink({ name }: { readonly name: string }) {
  const t = useT();
  const isRoot = (useSession()?.role ?? 0) >= role.enum.root;
  return (
    <StatePage
      heading={t("app.screenChat")}
      picture="closed"
      title={t("chat.badLinkTitle")}
      description={t("chat.badLinkBody", { name })}
      action={
        isRoot ? (
          <LinkButton to="/setting" search={{ tab: "other" }} variant="primary">
            {t("chat.configure")}
          </LinkButton>
        ) : (
          <LinkButton to="/playground" variant="primary">
            {t("chat.toPlayground")}
          </LinkButton>
        )
      }
    />
  );
}

/** Says that there is no client, and leads to where one can be added, or else chatted. */
function NoneConfigured() {
  const t = useT();
  const session = useSession();
  const isRoot = (session?.role ?? 0) >= role.enum.root;
  return (
    <StatePage
      heading={t("app.screenChat")}
      picture="talk"
      title={isRoot ? t("chat.noneTitleRoot") : t("chat.noneTitle")}
      description={isRoot ? t("chat.noneBodyRoot") : t("chat.noneBody")}
      action={
        isRoot ? (
          <LinkButton to="/setting" search={{ tab: "other" }} variant="primary">
            {t("chat.configure")}
          </LinkButton>
        ) : (
          <LinkButton to={session === null ? "/login" : "/playground"} variant="primary">
            {session === null ? t("signIn.title") : t("chat.toPlayground")}
          </LinkButton>
        )
      }
    />
  );
}

function Unknown({ first }: { readonly first: string }) {
  const t = useT();
  return (
    <StatePage
      heading={t("app.screenChat")}
      picture="lost"
      title={t("chat.unknownTitle")}
      description={t("chat.unknownBody")}
      action={<LinkButton to="/chat/0">{t("chat.openFirst", { name: first })}</LinkButton>}
    />
  );
}

/** Asks a visitor to sign in, and returns to the chat after that. */
function ToSignIn({ path }: { readonly path: string }) {
  const navigate = useNavigate();
  useEffect(() => {
    keepReturnAddress(path, null);
    const wasSignedIn = readExpiredUserId() !== null;
    const search = wasSignedIn ? { expired: "true" } : {};
    void navigate({ to: "/login", search, replace: true });
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
