/**
 * Shows an OpenAPI document, call by call. It sends nothing: a click beside a description must not
 * change anything.
 */

import { useDeferredValue, useMemo, useState } from "react";
import { useT } from "#i18n/t.ts";
import { SearchInput } from "#ui/controls/SearchInput.tsx";
import { Muted } from "#ui/feedback/Muted.tsx";
import { Section } from "#ui/layout/Section.tsx";
import { FieldList } from "./FieldList.tsx";
import { Operation, OperationList } from "./Operation.tsx";
import { readDocument, type ShownOperation } from "./read-document.ts";

export function ApiViewer(props: { readonly document: object }) {
  const t = useT();
  const operations = useMemo(() => readDocument(props.document), [props.document]);
  const [typed, setTyped] = useState("");
  const wanted = useDeferredValue(typed).trim().toLowerCase();
  const found = operations.filter(
    ({ path, title, text }) =>
      wanted === "" || `${path} ${title} ${text}`.toLowerCase().includes(wanted),
  );
  const groups = [...new Set(found.map(({ group }) => group))].toSorted();
  return (
    <div className="flex min-w-0 flex-col gap-6">
      <SearchInput value={typed} onChange={setTyped} placeholder={t("apiDocument.filter")} />
      {found.length === 0 && <Muted>{t("ui.noMatch")}</Muted>}
      {/* The document is in English whatever the console's language is. */}
      {groups.map((group) => (
        <div key={group} lang="en">
          <Section title={group}>
            <OperationList>
              {found
                .filter((one) => one.group === group)
                .map((one) => (
                  <OneOperation key={`${one.method} ${one.path}`} operation={one} />
                ))}
            </OperationList>
          </Section>
        </div>
      ))}
    </div>
  );
}

function OneOperation({ operation }: { readonly operation: ShownOperation }) {
  const t = useT();
  const { method, path, title, text, parameters, body, answer } = operation;
  const required = t("apiDocument.required");
  return (
    <Operation method={method} path={path} title={title}>
      {text !== "" && <p className="text-sm">{text}</p>}
      {parameters.length > 0 && (
        <FieldList title={t("apiDocument.parameters")} required={required} fields={parameters} />
      )}
      {body.length > 0 && (
        <FieldList title={t("apiDocument.body")} required={required} fields={body} />
      )}
      {answer.length > 0 && (
        <FieldList title={t("apiDocument.answer")} required={required} fields={answer} />
      )}
    </Operation>
  );
}
