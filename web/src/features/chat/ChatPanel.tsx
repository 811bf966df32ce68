import { useNavigate } from "@tanstack/react-router";
import { ExternalLink } from "lucide-react";
import { type ReactNode, useEffect } from "react";
import { framedChat } from "@tollgate/contract/endpoints/content.ts";
import type { Status } from "@tollgate/contract/endpoints/status.ts";
import type { Token } from "@tollgate/contract/endpoints/tokens.ts";
import { useT } from "#i18n/t.ts";
import { below, ownAddress } from "#page/base-path.ts";
import { Button } from "#ui/controls/Button.tsx";
import { LinkButton } from "#ui/controls/LinkButton.tsx";
import { Select } from "#ui/controls/Select.tsx";
import { Empty } from "#ui/feedback/Empty.tsx";
import { ErrorState } from "#ui/feedback/ErrorState.tsx";
import { Muted } from "#ui/feedback/Muted.tsx";
import { type ChatLink, chatUrl, isPage } from "#widgets/chat/chat-links.ts";
import { serverUrlOf } from "#widgets/server/server-url.ts";
import { useOpenChat } from "#widgets/chat/use-open-chat.ts";
import { readChatKey, useChatKey, useChatToken } from "./chat.api.ts";
import { ChatFrame, ChatLoading } from "./ChatFrame.tsx";

/** Milliseconds for which a user without a usable token reads why, before the tokens are shown. */
const toTokensMs = 1_500;

/** Height of the panel, as a CSS value: the window without the top bar. */
const height = "calc(100dvh - 3rem)";

/**
 * Shows a chat client to a signed-in user: a line that names the token given to the client, and the
 * client below it.
 */
export function ChatPanel(props: {
  readonly links: readonly ChatLink[];
  readonly link: ChatLink;
  /** Index of `link` in `links`. */
  readonly place: number;
  readonly status: Status;
  readonly userId: number;
  /** Whether the browser leaves the console for the client's page instead of framing it. */
  readonly leaves: boolean;
}) {
  const { links, link, place, status, userId, leaves } = props;
  const { server_address } = status;
  const t = useT();
  const openChat = useOpenChat();
  const found = useChatToken(userId);
  const token = found.data;
  const frame = frameOf(link, server_address, leaves);
  const key = useChatKey(frame === null ? null : (token?.id ?? null));
  const open = ({ id }: Token): void =>
    void openChat(link, async () => key.data ?? (await readChatKey(id)));
  const bar = (parts?: ReactNode) => (
    <Bar links={links} place={place}>
      {parts}
    </Bar>
  );
  const url =
    frame === null || key.data === undefined
      ? null
      : chatUrl(link.template, serverUrlOf(server_address, ownAddress()), key.data);
  useEffect(() => {
    if (leaves && url !== null) location.replace(url);
  }, [leaves, url]);
  if (leaves && token && frame !== null && url !== null) {
    return (
      <p role="status" className="p-8 text-center">
        {t("chat.redirecting", { host: frame.host })}
      </p>
    );
  }
  if (token && frame !== null && url !== null) {
    return (
      <div className="flex flex-col" style={{ height }}>
        {bar(
          <>
            <span className="min-w-0 flex-1 text-sm wrap-anywhere max-md:order-last max-md:basis-full">
              <Muted>{t("chat.given", { token: token.name, host: frame.host })}</Muted>
            </span>
            <Button icon={<ExternalLink size={16} aria-hidden />} onClick={() => open(token)}>
              {t("chat.openTab")}
            </Button>
          </>,
        )}
        <ChatFrame key={url} url={url} name={link.name} />
      </div>
    );
  }
  const failure = found.error ?? key.error;
  /**
   * Tries again after an error. First looks for a usable token, because the token of the failed
   * attempt may have been deleted.
   */
  const retry = async (): Promise<void> => {
    const { data } = await found.refetch();
    if (key.error !== null && data?.id === token?.id) await key.refetch();
  };
  if (failure === null && (token === undefined || (token !== null && frame !== null))) {
    return (
      <div className="flex flex-col" style={{ height }}>
        {bar()}
        <div className="relative flex-1">
          <ChatLoading name={link.name} />
        </div>
      </div>
    );
  }
  return (
    <>
      {bar()}
      {failure !== null || token === undefined ? (
        <ErrorState title={t("chat.tokenFailed")} error={failure} onRetry={() => void retry()} />
      ) : token === null ? (
        <NoToken name={link.name} />
      ) : (
        <Outside link={link} token={token} onOpen={() => open(token)} />
      )}
    </>
  );
}

/**
 * Returns the address of a client that can be shown in a frame, or that the browser may go to; null:
 * this one cannot. Browsers show no page without TLS inside one with TLS.
 */
function frameOf({ template }: ChatLink, serverAddress: string, leaves: boolean): URL | null {
  const page = framedChat(template, serverAddress);
  if (page === null || page.origin === location.origin) return null;
  const isMixed = page.protocol === "http:" && location.protocol === "https:";
  return isMixed && !leaves ? null : page;
}

/** The client's name above the frame; with several clients, a menu to choose one. */
function Bar(props: {
  readonly links: readonly ChatLink[];
  readonly place: number;
  readonly children?: ReactNode;
}) {
  const { links, place, children } = props;
  const t = useT();
  const navigate = useNavigate();
  const name = links[place]?.name ?? "";
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-2 max-md:px-3">
      <h1
        className={
          links.length > 1 ? "sr-only" : "text-base font-medium wrap-anywhere max-md:flex-1"
        }
      >
        {name}
      </h1>
      {links.length > 1 && (
        <div className="w-52 max-md:w-auto max-md:min-w-0 max-md:flex-1">
          <Select
            aria-label={t("chat.choose")}
            items={links.map((link, index) => ({ value: index, label: link.name }))}
            value={place}
            onChange={(next) => void navigate({ href: below(`/chat/${next}`) })}
          />
        </div>
      )}
      {children}
    </div>
  );
}

function NoToken({ name }: { readonly name: string }) {
  const t = useT();
  const navigate = useNavigate();
  useEffect(() => {
    const timer = setTimeout(() => void navigate({ to: "/token" }), toTokensMs);
    return () => clearTimeout(timer);
  }, [navigate]);
  return (
    <Empty
      picture="closed"
      title={t("chat.noTokenTitle")}
      description={t("chat.noTokenBody", { name })}
      action={
        <LinkButton to="/token" variant="primary">
          {t("chat.toTokens")}
        </LinkButton>
      }
    />
  );
}

/**
 * Shown for a client that cannot be in a frame (an app, a page without HTTPS inside a console with
 * HTTPS, or a page of this server): a button that opens it.
 */
function Outside(props: {
  readonly link: ChatLink;
  readonly token: Token;
  readonly onOpen: () => void;
}) {
  const { link, token, onOpen } = props;
  const t = useT();
  const inTab = isPage(link);
  return (
    <Empty
      picture="passing"
      title={t(inTab ? "chat.outsideTitle" : "chat.appTitle", { name: link.name })}
      description={t("chat.outsideBody", { token: token.name })}
      action={
        <Button variant="primary" onClick={onOpen}>
          {inTab ? t("chat.openTab") : t("chat.openApp")}
        </Button>
      }
    />
  );
}
