import { useIsFetching, useQuery } from "@tanstack/react-query";
import type { User } from "@tollgate/contract/endpoints/users.ts";
import { lazy, type ReactNode, Suspense, useEffect, useRef } from "react";
import { useT, withTexts } from "#i18n/t.ts";
import { Banner } from "#ui/feedback/Banner.tsx";
import { ErrorState } from "#ui/feedback/ErrorState.tsx";
import { CardOutline, FormOutline } from "#ui/feedback/outlines.tsx";
import { Card } from "#ui/layout/Card.tsx";
import { type SetListSearch, useListSearch } from "#ui/table/list-search.ts";
import { useSelfUse, useStatus } from "#widgets/server/use-status.ts";
import { AccessTokenPart } from "./AccessTokenPart.tsx";
import { AccountPart } from "./AccountPart.tsx";
import { BindingsPart } from "./bindings/BindingsPart.tsx";
import { DeletePart } from "./DeletePart.tsx";
import { InvitationsPart } from "./invitations/InvitationsPart.tsx";
import { ModelsPart } from "./ModelsPart.tsx";
import { NoticesPart } from "./notices/NoticesPart.tsx";
import { PasswordPart } from "./PasswordPart.tsx";
import { selfQuery } from "./account.api.ts";
import { accountSearch } from "./account.search.ts";
import { SectionNav } from "./SectionNav.tsx";
import { isOfPayment, type SectionName, sectionNames, sectionTitles } from "./sections.ts";
import { SessionsPart } from "./SessionsPart.tsx";

// Parts far down on the page, and dialogs, are loaded only when they are shown.
const HistoryPart = lazy(async () => ({
  default: (await withTexts("entries", import("./HistoryPart.tsx"))).HistoryPart,
}));
const MailDialog = lazy(async () => ({
  default: (await import("./bindings/MailDialog.tsx")).MailDialog,
}));
const TelegramDialog = lazy(async () => ({
  default: (await import("./bindings/TelegramDialog.tsx")).TelegramDialog,
}));
const UnbindMailDialog = lazy(async () => ({
  default: (await import("./bindings/MailDialog.tsx")).UnbindMailDialog,
}));
const WeChatDialog = lazy(async () => ({
  default: (await import("./bindings/WeChatDialog.tsx")).WeChatDialog,
}));
const TransferDialog = lazy(async () => ({
  default: (await import("./invitations/TransferDialog.tsx")).TransferDialog,
}));
const DeleteDialog = lazy(async () => ({
  default: (await import("./DeleteDialog.tsx")).DeleteDialog,
}));

/** The screen on which users manage their own account. */
export function AccountScreen(props: {
  /** The part about second factors, which another feature provides. */
  readonly security: ReactNode;
  /** The part about organisations, of another feature; absent: there is none. */
  readonly organisations?: ReactNode;
}) {
  const { security, organisations } = props;
  const [search, setSearch] = useListSearch(accountSearch);
  // Safe cast: the history changes only parameters that the addresses of all lists have.
  const changeHistory = setSearch as unknown as SetListSearch;
  const status = useStatus();
  const selfUse = useSelfUse();
  const self = useQuery(selfQuery);
  useAnchor(self.data !== undefined);
  const close = () => setSearch({ open: "" });
  return (
    // Texts for screen readers are positioned relative to this element; without `relative` they
    // would stretch the page and make it scroll.
    <div className="relative flex min-w-0 items-start gap-6 max-xl:flex-col max-xl:gap-4">
      <SectionNav names={sectionNames.filter((name) => !selfUse || !isOfPayment(name))} />
      <div className="flex w-full min-w-0 flex-1 flex-col gap-4">
        {self.data === undefined && self.error !== null && (
          <SelfFailed error={self.error} onRetry={() => void self.refetch()} />
        )}
        <OfSelf query={self} name="account" fields={4}>
          {(user) => <AccountPart self={user} />}
        </OfSelf>
        {organisations}
        <OfSelf query={self} name="password" fields={3}>
          {(user) => <PasswordPart self={user} />}
        </OfSelf>
        <div id="security" className="min-w-0 scroll-mt-4 max-xl:scroll-mt-14">
          {security}
        </div>
        <SessionsPart />
        {status !== undefined && (
          <OfSelf query={self} name="bindings" fields={3}>
            {(user) => (
              <BindingsPart
                self={user}
                status={status}
                onOpen={(dialog) => setSearch({ open: dialog })}
              />
            )}
          </OfSelf>
        )}
        <OfSelf query={self} name="access-token" fields={1}>
          {(user) => <AccessTokenPart userId={user.id} />}
        </OfSelf>
        <ModelsPart />
        {!selfUse && (
          <OfSelf query={self} name="invitations" fields={2}>
            {(user) => (
              <InvitationsPart self={user} onTransfer={() => setSearch({ open: "transfer" })} />
            )}
          </OfSelf>
        )}
        <OfSelf query={self} name="notices" fields={3}>
          {(user) => <NoticesPart self={user} />}
        </OfSelf>
        {!selfUse && (
          <Suspense fallback={<CardOutline />}>
            <HistoryPart search={search} onSearch={changeHistory} />
          </Suspense>
        )}
        <OfSelf query={self} name="delete" fields={1}>
          {(user) => <DeletePart self={user} onDelete={() => setSearch({ open: "delete" })} />}
        </OfSelf>
      </div>
      <Suspense>
        {self.data !== undefined && search.open === "mail" && (
          <MailDialog bound={self.data.email} onClose={close} />
        )}
        {self.data !== undefined && self.data.email !== "" && search.open === "unmail" && (
          <UnbindMailDialog bound={self.data.email} onClose={close} />
        )}
        {search.open === "telegram" && <TelegramDialog onClose={close} />}
        {status !== undefined && search.open === "wechat" && (
          <WeChatDialog picture={status.wechat_qrcode} onClose={close} />
        )}
        {self.data !== undefined && !selfUse && search.open === "transfer" && (
          <TransferDialog self={self.data} onClose={close} />
        )}
        {self.data !== undefined && search.open === "delete" && (
          <DeleteDialog self={self.data} onClose={close} />
        )}
      </Suspense>
    </div>
  );
}

/**
 * A part of the page that needs the user's account: until the account is read, its card with its
 * title and the shape of a form; nothing if that failed.
 */
function OfSelf(props: {
  readonly query: { readonly data: User | undefined; readonly error: Error | null };
  readonly name: SectionName;
  /** About how many fields the part has. */
  readonly fields: number;
  readonly children: (user: User) => ReactNode;
}) {
  const { query, name, fields, children } = props;
  const t = useT();
  if (query.data !== undefined) return children(query.data);
  if (query.error !== null) return null;
  return (
    <Card title={t(sectionTitles[name])}>
      <FormOutline fields={fields} />
    </Card>
  );
}

function SelfFailed(props: { readonly error: Error; readonly onRetry: () => void }) {
  const t = useT();
  return (
    <div className="flex flex-col gap-2">
      <Banner tone="danger" title={t("account.selfFailed")} />
      <ErrorState error={props.error} onRetry={props.onRetry} />
    </div>
  );
}

/**
 * Scrolls to the part that the address's `#` names, once all parts above it have been read and have
 * their final height.
 */
function useAnchor(isRead: boolean): void {
  const isSettled = useIsFetching() === 0 && isRead;
  const isDone = useRef(false);
  useEffect(() => {
    if (!isSettled || isDone.current) return;
    isDone.current = true;
    const name = location.hash.slice(1);
    if (name !== "") document.getElementById(name)?.scrollIntoView({ block: "start" });
  }, [isSettled]);
}
