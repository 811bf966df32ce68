import type { LiveCall, LiveView } from "@tollgate/contract/endpoints/live.ts";
import { role } from "@tollgate/contract/endpoints/users.ts";
import { CircleStop, KeyRound, Network, Pause, Play, User } from "lucide-react";
import { useMemo, useState } from "react";
import { type T, useT } from "#i18n/t.ts";
import { Button } from "#ui/controls/Button.tsx";
import { IconButton } from "#ui/controls/IconButton.tsx";
import { LinkButton } from "#ui/controls/LinkButton.tsx";
import { Badge } from "#ui/feedback/Badge.tsx";
import { Banner } from "#ui/feedback/Banner.tsx";
import { LiveDot } from "#ui/feedback/LiveDot.tsx";
import { Muted } from "#ui/feedback/Muted.tsx";
import type { BulkAction, Filter, RowAction } from "#ui/table/column.ts";
import { useListSearch } from "#ui/table/list-search.ts";
import { ListScreen } from "#ui/table/ListScreen.tsx";
import { useWide } from "#ui/table/use-browser.ts";
import { byChannelId, byUserText } from "#widgets/people/name-filters.ts";
import { useSession } from "#widgets/server/use-status.ts";
import { useLive } from "./live.api.ts";
import { liveColumns } from "./live.columns.tsx";
import { liveSearch } from "./live.search.ts";
import { StopDialog, type StopQuestion } from "./StopDialog.tsx";

/** `/live`: the calls that run now. Users see their own, admins also those of users below them. */
export function LiveScreen() {
  const t = useT();
  const isOperator = (useSession()?.role ?? role.enum.user) >= role.enum.admin;
  const [search, setSearch] = useListSearch(liveSearch);
  const [isPaused, setPaused] = useState(false);
  const [question, setQuestion] = useState<StopQuestion | null>(null);
  const { page, size } = search;
  const { error, isFetching, reconnect, updatedAt, view } = useLive(search, isPaused);
  const columns = useMemo(() => liveColumns(t, isOperator), [t, isOperator]);
  const filters = useMemo(() => liveFilters(t, isOperator), [t, isOperator]);
  const rowActions = useMemo(() => stopsOf(t, isOperator, setQuestion), [t, isOperator]);
  const bulkActions = useMemo(() => bulkStops(t, setQuestion), [t]);
  const data = useMemo(() => pageOf(view, page, size), [view, page, size]);
  return (
    <ListScreen
      id="live"
      title={t("live.title")}
      description={t("live.description")}
      search={search}
      onSearch={setSearch}
      query={{ data, error, isFetching, dataUpdatedAt: 0, refetch: reconnect }}
      columns={columns}
      rowId={rowId}
      rowName={rowName}
      keyword={{ name: "model_name", placeholder: t("live.modelPlaceholder") }}
      filters={filters}
      rowActions={rowActions}
      bulkActions={bulkActions}
      live={
        <PauseControl
          isPaused={isPaused}
          isBroken={error !== null}
          isOn={updatedAt > 0}
          onChange={setPaused}
        />
      }
      summary={view !== undefined && <Summary view={view} />}
      empty={{
        title: t("live.emptyTitle"),
        description: t("live.emptyText"),
        action: <LinkButton to="/log">{t("live.emptyAction")}</LinkButton>,
      }}
    >
      {question !== null && <StopDialog question={question} onClose={() => setQuestion(null)} />}
    </ListScreen>
  );
}

/** One page of the calls that were told. */
function pageOf(view: LiveView | undefined, page: number, size: number) {
  if (view === undefined) return undefined;
  const { calls } = view;
  return { items: calls.slice((page - 1) * size, page * size), total: calls.length };
}

/** How many calls run, where, and what of them is not shown. */
function Summary({ view: { calls, nodes, sampled, total } }: { readonly view: LiveView }) {
  const t = useT();
  const shown = calls.length;
  return (
    <>
      {sampled && (
        <Banner
          title={t("live.sampled", {
            shown,
            total: Math.max(total, shown).toLocaleString("en-US"),
          })}
        />
      )}
      {nodes.length > 0 && (
        <ul className="flex flex-wrap gap-2" aria-label={t("live.nodes")}>
          {nodes.map((node) => (
            <li key={node.name} className="inline-flex items-center gap-1.5 text-sm">
              {/* Of one node alone nobody asks which it is. */}
              {nodes.length > 1 && <bdi>{node.name}</bdi>}
              <Muted>{t("live.nodeCalls", { count: node.calls })}</Muted>
              {node.draining && <Badge tone="warning">{t("live.nodeDraining")}</Badge>}
              {!node.answers && <Badge tone="danger">{t("live.nodeSilent")}</Badge>}
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

function PauseControl(props: {
  isPaused: boolean;
  isBroken: boolean;
  isOn: boolean;
  onChange: (paused: boolean) => void;
}) {
  const { isBroken, isOn, isPaused, onChange } = props;
  const t = useT();
  const wide = useWide();
  const label = isPaused ? t("live.resume") : t("live.pause");
  const icon = isPaused ? <Play size={16} aria-hidden /> : <Pause size={16} aria-hidden />;
  const change = () => onChange(!isPaused);
  const word = isPaused ? t("live.paused") : isBroken ? t("live.broken") : t("live.on");
  return (
    <span className="inline-flex items-center gap-2">
      <span role="status" className="inline-flex items-center gap-1.5 text-sm">
        <LiveDot tone={isBroken ? "danger" : "success"} still={isPaused || isBroken || !isOn} />
        {/* A phone has room for the word only where the dot does not say enough. */}
        <span className={isBroken ? undefined : "max-md:sr-only"}>
          <Muted>{word}</Muted>
        </span>
      </span>
      {wide ? (
        <Button icon={icon} onClick={change}>
          {label}
        </Button>
      ) : (
        <IconButton label={label} icon={icon} variant="default" onClick={change} />
      )}
    </span>
  );
}

function liveFilters(t: T, isOperator: boolean): readonly Filter[] {
  const ages = [10, 60, 300, 1_800];
  return [
    ...(isOperator
      ? ([
          { kind: "suggest", name: "username", label: t("live.user"), ...byUserText },
          { kind: "suggest", name: "channel", label: t("live.channel"), ...byChannelId },
        ] as const)
      : []),
    { kind: "text", name: "token_name", label: t("live.token") },
    {
      kind: "select",
      name: "min_seconds",
      label: t("live.minAge"),
      items: [
        { value: 0, label: t("live.anyAge") },
        ...ages.map((value) => ({ value, label: t("live.longerThan", { count: value }) })),
      ],
    },
  ];
}

type Ask = (question: StopQuestion) => void;

/** What stops calls: one by a button, all of a kind from the menu, so that every figure has room. */
function stopsOf(t: T, isOperator: boolean, ask: Ask): readonly RowAction<LiveCall>[] {
  const icon = <CircleStop size={16} aria-hidden />;
  return [
    {
      key: "stop",
      label: t("live.stop"),
      icon,
      tone: "danger",
      shown: ({ stopping }) => !stopping,
      onSelect: ({ model_name: model, request_id }) =>
        ask({ scope: { request_ids: [request_id] }, title: t("live.stopOne", { model }) }),
    },
    {
      key: "stop-key",
      label: t("live.stopKeyLabel"),
      inMenu: true,
      icon: <KeyRound size={16} aria-hidden />,
      shown: ({ token_id }) => token_id !== 0,
      onSelect: ({ token_id, token_name: name }) =>
        ask({ scope: { token_id }, title: t("live.stopKey", { name }) }),
    },
    {
      key: "stop-model",
      label: t("live.stopModelLabel"),
      inMenu: true,
      icon,
      onSelect: ({ model_name: model }) =>
        ask({ scope: { model_name: model }, title: t("live.stopModel", { model }) }),
    },
    {
      key: "stop-user",
      label: t("live.stopUserLabel"),
      inMenu: true,
      icon: <User size={16} aria-hidden />,
      shown: () => isOperator,
      onSelect: ({ user_id, username: name }) =>
        ask({ scope: { user_id }, title: t("live.stopUser", { name }) }),
    },
    {
      key: "stop-channel",
      label: t("live.stopChannelLabel"),
      inMenu: true,
      icon: <Network size={16} aria-hidden />,
      shown: ({ channel }) => isOperator && channel !== 0,
      onSelect: ({ channel, channel_name: name }) =>
        ask({ scope: { channel }, title: t("live.stopChannel", { name }) }),
    },
  ];
}

function bulkStops(t: T, ask: Ask): readonly BulkAction<LiveCall>[] {
  return [
    {
      key: "stop",
      label: t("live.stop"),
      icon: <CircleStop size={16} aria-hidden />,
      tone: "danger",
      onSelect(rows) {
        const request_ids = rows.map(({ request_id }) => request_id);
        ask({ scope: { request_ids }, title: t("live.stopMany", { count: rows.length }) });
        return false;
      },
    },
  ];
}

function rowId({ request_id }: LiveCall): string {
  return request_id;
}

function rowName({ model_name, username }: LiveCall): string {
  return `${model_name} ${username}`;
}
