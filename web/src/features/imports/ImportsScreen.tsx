import type { ImportView } from "@tollgate/contract/endpoints/imports.ts";
import { useState } from "react";
import { useT } from "#i18n/t.ts";
import { Input } from "#ui/controls/Input.tsx";
import { CodeBlock } from "#ui/copy/CodeBlock.tsx";
import { ErrorState } from "#ui/feedback/ErrorState.tsx";
import { Skeleton } from "#ui/feedback/Skeleton.tsx";
import { Page } from "#ui/layout/Page.tsx";
import { PageHeader } from "#ui/layout/PageHeader.tsx";
import { Section } from "#ui/layout/Section.tsx";
import { ImportCard } from "./ImportCard.tsx";
import { ReportFile } from "./ReportFile.tsx";
import { useImports } from "./imports.api.ts";

/** `/import`, for root: how to move in from another gateway, and how far that is. */
export function ImportsScreen() {
  const t = useT();
  const { data, error, refetch } = useImports();
  return (
    <Page narrow>
      <PageHeader title={t("imports.title")} description={t("imports.description")} />
      {data === undefined && error === null ? (
        // The commands wait for the imports, which stand above them, so that they do not move.
        <Skeleton height={640} />
      ) : (
        <>
          {error !== null && data === undefined && (
            <ErrorState error={error} onRetry={() => void refetch()} />
          )}
          {data?.map((each) => (
            <ImportCard key={each.id} row={each} />
          ))}
          <HowTo first={data?.[0]} />
          <ReportFile command="tollgate import … --dry-run --json > report.json" />
        </>
      )}
    </Page>
  );
}

/** An address of each kind, as an example. */
const example = "mysql://user:password@127.0.0.1:3306/oneapi";

/** Writes an address as one word of a command line. */
function wordOf(address: string): string {
  const text = address.trim();
  if (text === "") return example;
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/** The commands in their order. The server's command does the work, because it has the secret key. */
function HowTo({ first }: { readonly first: ImportView | undefined }) {
  const t = useT();
  const [address, setAddress] = useState("");
  const name = first === undefined ? "" : ` --name ${first.name}`;
  const command = (rest: string): string => `tollgate import ${wordOf(address)}${rest}`;
  return (
    <Section title={t("imports.howTitle")} description={t("imports.howText")}>
      <Input
        value={address}
        onChange={(event) => setAddress(event.target.value)}
        aria-label={t("imports.address")}
        placeholder={t("imports.addressPlaceholder")}
        autoComplete="off"
      />
      <Step text={t("imports.look")} code={command(`${name} --dry-run`)} />
      <Step text={t("imports.run")} code={command(name)} />
      <Step text={t("imports.follow")} code={command(`${name} --follow 30`)} />
      <Step text={t("imports.finish")} code={command(`${name} --finish`)} />
      <p className="text-sm">{t("imports.traffic")}</p>
      <Step text={t("imports.undo")} code={command(`${name} --undo`)} />
    </Section>
  );
}

function Step({ text, code }: { readonly text: string; readonly code: string }) {
  return (
    <div className="flex flex-col gap-1.5">
      <p className="text-sm">{text}</p>
      <CodeBlock code={code} language="sh" />
    </div>
  );
}
