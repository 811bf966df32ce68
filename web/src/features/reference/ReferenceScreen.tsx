import type { Callable } from "@tollgate/contract/endpoints/caller-reference.ts";
import { modelFor } from "@tollgate/contract/connect/clients.ts";
import { tagLengthMax, tagsMax } from "@tollgate/contract/logs/tags.ts";
import { useQuery } from "@tanstack/react-query";
import { useDeferredValue, useState } from "react";
import { useT } from "#i18n/t.ts";
import { ownAddress } from "#page/base-path.ts";
import { FieldList } from "#ui/api-viewer/FieldList.tsx";
import { Operation, OperationList } from "#ui/api-viewer/Operation.tsx";
import { SearchInput } from "#ui/controls/SearchInput.tsx";
import { ErrorState } from "#ui/feedback/ErrorState.tsx";
import { Muted } from "#ui/feedback/Muted.tsx";
import { TextOutline } from "#ui/feedback/outlines.tsx";
import { Page } from "#ui/layout/Page.tsx";
import { PageHeader } from "#ui/layout/PageHeader.tsx";
import { Section } from "#ui/layout/Section.tsx";
import { pricingQuery } from "#widgets/money/pricing-query.ts";
import { groupOf, groups, groupTexts, howSent, shownPath } from "./call-groups.ts";
import { fieldTexts } from "./field-texts.ts";
import { useReference } from "./reference.api.ts";
import { TryPanel } from "./TryPanel.tsx";

/** `/reference`, for everybody: what programs call with a key, and a call to try. */
export function ReferenceScreen() {
  const t = useT();
  const { data, error, refetch } = useReference();
  return (
    <Page narrow>
      <PageHeader title={t("reference.title")} description={t("reference.intro")} />
      <Section title={t("reference.auth")}>
        <p className="text-sm">{t("reference.authText")}</p>
      </Section>
      <Section title={t("reference.answer")}>
        <p className="text-sm">{t("reference.answerText")}</p>
      </Section>
      <Section title={t("reference.tags")}>
        <p className="text-sm">
          {t("reference.tagsText", { most: tagsMax, length: tagLengthMax })}
        </p>
      </Section>
      {data !== undefined && <Calls calls={data} />}
      {data === undefined && error === null && <TextOutline />}
      {data === undefined && error !== null && (
        <ErrorState error={error} onRetry={() => void refetch()} />
      )}
    </Page>
  );
}

function Calls({ calls }: { readonly calls: readonly Callable[] }) {
  const t = useT();
  const { data: pricing } = useQuery(pricingQuery);
  const [typed, setTyped] = useState("");
  const [apiKey, setKey] = useState("");
  const wanted = useDeferredValue(typed).trim().toLowerCase();
  const found = calls.filter(
    ({ path, fields }) =>
      wanted === "" ||
      [shownPath(path), ...fields].some((text) => text.toLowerCase().includes(wanted)),
  );
  const models = pricing?.rows.map(({ model_name: name }) => name) ?? [];
  const model = modelFor(["gpt", "claude", "chat"], models) ?? "gpt-4o-mini";
  return (
    <>
      <SearchInput value={typed} onChange={setTyped} placeholder={t("reference.filter")} />
      {found.length === 0 && <Muted>{t("reference.none")}</Muted>}
      {groups.map((group) => {
        const some = found.filter((one) => groupOf(one) === group);
        if (some.length === 0) return null;
        return (
          <Section key={group} title={t(groupTexts[group])}>
            <OperationList>
              {some.map((one) => (
                <Operation
                  key={`${one.method} ${one.path}`}
                  method={one.method}
                  path={shownPath(one.path)}
                >
                  <OneCall callable={one} model={model} apiKey={apiKey} onKey={setKey} />
                </Operation>
              ))}
            </OperationList>
          </Section>
        );
      })}
    </>
  );
}

function OneCall(props: {
  readonly callable: Callable;
  readonly model: string;
  readonly apiKey: string;
  onKey(key: string): void;
}) {
  const { callable } = props;
  const t = useT();
  const fields = callable.fields.map((name) => {
    const text = fieldTexts[name];
    return { name, text: text === undefined ? "" : t(text) };
  });
  const how = howSent(callable);
  return (
    <>
      {fields.length > 0 && <FieldList title={t("reference.fields")} required="" fields={fields} />}
      {how === "socket" && <p className="text-sm">{t("reference.socket")}</p>}
      {how === "form" && <p className="text-sm">{t("reference.form")}</p>}
      {how === "plain" && <TryPanel {...props} origin={ownAddress()} />}
    </>
  );
}
