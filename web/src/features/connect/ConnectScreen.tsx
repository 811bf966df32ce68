import { baseUrlOf, type Client, wireNames } from "@tollgate/contract/connect/client.ts";
import { clients, modelFor } from "@tollgate/contract/connect/clients.ts";
import type { Token } from "@tollgate/contract/endpoints/tokens.ts";
import { useT } from "#i18n/t.ts";
import { ownAddress } from "#page/base-path.ts";
import { Combobox } from "#ui/controls/Combobox.tsx";
import { LinkButton } from "#ui/controls/LinkButton.tsx";
import { CodeBlock } from "#ui/copy/CodeBlock.tsx";
import { Banner } from "#ui/feedback/Banner.tsx";
import { ErrorState } from "#ui/feedback/ErrorState.tsx";
import { FormOutline } from "#ui/feedback/outlines.tsx";
import { Page } from "#ui/layout/Page.tsx";
import { PageHeader } from "#ui/layout/PageHeader.tsx";
import { Section } from "#ui/layout/Section.tsx";
import { useListSearch } from "#ui/table/list-search.ts";
import { serverUrlOf } from "#widgets/server/server-url.ts";
import { useStatus } from "#widgets/server/use-status.ts";
import { tokenKeyPrefix } from "#widgets/tokens/KeyText.tsx";
import { Line } from "#widgets/tokens/Line.tsx";
import { ClientBlocks, ScriptBlock } from "./ClientBlocks.tsx";
import { ClientList } from "./ClientList.tsx";
import { clientTexts } from "./client-texts.ts";
import { readWholeKey, useOwnModels, useWorkingTokens } from "./connect.api.ts";
import { type ConnectSearch, connectSearch } from "./connect.search.ts";
import { FirstCall } from "./FirstCall.tsx";

/** `/connect`: how each program is connected, with the user's own key and a model that suits it. */
export function ConnectScreen() {
  const t = useT();
  const [search, setSearch] = useListSearch(connectSearch);
  const tokens = useWorkingTokens();
  const client = clients.find(({ id }) => id === search.client) ?? clients[0];
  if (client === undefined) return null;
  return (
    <Page>
      <PageHeader title={t("connect.title")} description={t("connect.intro")} />
      <div className="flex gap-6 max-md:flex-col max-md:gap-4">
        <ClientList
          value={client.id}
          onChange={(id) => setSearch({ client: id, model: "" }, { replace: true })}
        />
        <div className="flex max-w-200 min-w-0 flex-1 flex-col gap-6">
          {tokens.data === undefined && tokens.error === null && <FormOutline />}
          {tokens.error !== null && (
            <ErrorState error={tokens.error} onRetry={() => void tokens.refetch()} />
          )}
          {tokens.data !== undefined && (
            <Connection
              client={client}
              tokens={tokens.data}
              search={search}
              onChoose={(patch) => setSearch(patch, { replace: true })}
            />
          )}
        </div>
      </div>
    </Page>
  );
}

const unknownKey = "sk-…";

type Chosen = Partial<Pick<ConnectSearch, "model" | "token">>;

function Connection(props: {
  readonly client: Client;
  readonly tokens: readonly Token[];
  readonly search: ConnectSearch;
  onChoose(chosen: Chosen): void;
}) {
  const { client, tokens, search, onChoose } = props;
  const t = useT();
  const { data: own } = useOwnModels();
  const origin = serverUrlOf(useStatus()?.server_address, ownAddress());
  const token = tokens.find(({ id }) => id === search.token) ?? tokens[0];
  if (token === undefined) {
    return (
      <Banner
        tone="warning"
        title={t("connect.noKey")}
        action={
          <LinkButton to="/token" search={{ open: "new" }} size="sm">
            {t("connect.createKey")}
          </LinkButton>
        }
      />
    );
  }
  const limits = token.model_limits_enabled ? token.model_limits.split(",") : null;
  const models = own?.filter((name) => limits === null || limits.includes(name)) ?? [];
  const suited = modelFor(client.prefers, models);
  const model = models.includes(search.model) ? search.model : suited;
  if (own !== undefined && model === undefined) {
    return <Banner tone="warning" title={t("connect.noModels")} />;
  }
  // Of some imported keys only a hash is known until their first use.
  const shownKey = token.key === "" ? unknownKey : tokenKeyPrefix + token.key;
  const values = { origin, key: shownKey, model: model ?? "" };
  const read = async () => await readWholeKey(token.id);
  return (
    <>
      <Choices {...{ tokens, token, models, values, onChoose }} />
      <Wire client={client} origin={origin} />
      {own !== undefined && <Steps {...{ client, values, read }} />}
      <FirstCall key={token.id} tokenId={token.id} />
    </>
  );
}

function Choices(props: {
  readonly tokens: readonly Token[];
  readonly token: Token;
  readonly models: readonly string[];
  readonly values: { readonly model: string };
  onChoose(chosen: Chosen): void;
}) {
  const { tokens, token, models, values, onChoose } = props;
  const t = useT();
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <div className="flex min-w-0 flex-col gap-1.5">
        <span className="text-sm font-medium">{t("connect.key")}</span>
        <Combobox
          aria-label={t("connect.key")}
          items={tokens.map(({ id, name }) => ({ value: id, label: name }))}
          value={token.id}
          onChange={(id) => onChoose({ token: id, model: "" })}
        />
      </div>
      <div className="flex min-w-0 flex-col gap-1.5">
        <span className="text-sm font-medium">{t("connect.model")}</span>
        <Combobox
          aria-label={t("connect.model")}
          items={models.map((name) => ({ value: name, label: name }))}
          value={values.model}
          onChange={(name) => onChoose({ model: name })}
        />
      </div>
    </div>
  );
}

/** Base URL and format of a program. */
function Wire({ client, origin }: { readonly client: Client; readonly origin: string }) {
  const t = useT();
  // Blocks of several formats name the address of each.
  if (client.id === "other" || client.id === "curl") return null;
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <Line label={t("connect.baseUrl")}>
        <code className="min-w-0 flex-1 font-mono text-sm wrap-anywhere">
          {baseUrlOf(client.wire, origin)}
        </code>
      </Line>
      <Line label={t("connect.wire")}>
        <span className="text-sm">{wireNames[client.wire]}</span>
      </Line>
    </div>
  );
}

function Steps(props: Parameters<typeof ClientBlocks>[0]) {
  const { client } = props;
  const t = useT();
  const words = clientTexts[client.id];
  const hasScript = client.changes(props.values).length > 0;
  return (
    <>
      {client.install !== "" && (
        <Section title={t("connect.install")}>
          <CodeBlock code={client.install} language="bash" />
        </Section>
      )}
      {hasScript && (
        <Section title={t("connect.script")}>
          <ScriptBlock {...props} />
        </Section>
      )}
      <Section
        title={t(hasScript ? "connect.byHand" : "connect.settings")}
        description={words === undefined ? undefined : t(words)}
      >
        <ClientBlocks {...props} />
      </Section>
      {client.run !== "" && (
        <Section title={t("connect.start")}>
          <CodeBlock code={client.run} language="bash" />
        </Section>
      )}
    </>
  );
}
