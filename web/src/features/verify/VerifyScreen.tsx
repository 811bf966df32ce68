import { checkStatement, type StatementCheck } from "@tollgate/contract/money/statement-check.ts";
import { FileCheck2 } from "lucide-react";
import { useRef, useState } from "react";
import { useT } from "#i18n/t.ts";
import { Button } from "#ui/controls/Button.tsx";
import { Banner } from "#ui/feedback/Banner.tsx";
import { Muted } from "#ui/feedback/Muted.tsx";
import { Spinner } from "#ui/feedback/Spinner.tsx";
import { Card } from "#ui/layout/Card.tsx";
import { Page } from "#ui/layout/Page.tsx";
import { PageHeader } from "#ui/layout/PageHeader.tsx";
import { CheckedStatement } from "./CheckedStatement.tsx";

/** The largest file that is read, in bytes. */
const fileBytesMax = 50_000_000;

type Shown =
  | { readonly kind: "checked"; readonly name: string; readonly check: StatementCheck }
  | { readonly kind: "empty" | "reading" | "unreadable" };

/**
 * `/verify`, for everybody: checks a statement file. The file stays in the browser; nothing of it is
 * sent anywhere.
 */
export function VerifyScreen() {
  const t = useT();
  const picker = useRef<HTMLInputElement>(null);
  const [shown, setShown] = useState<Shown>({ kind: "empty" });

  async function read(file: File) {
    setShown({ kind: "reading" });
    const text = file.size > fileBytesMax ? "" : await file.text().catch(() => "");
    const check = checkStatement(text);
    setShown(
      check === undefined ? { kind: "unreadable" } : { kind: "checked", name: file.name, check },
    );
  }

  return (
    <Page>
      <PageHeader title={t("verify.title")} description={t("verify.description")} />
      <Card>
        <div className="flex min-w-0 flex-col gap-3">
          <p className="text-sm">
            <Muted>{t("verify.how")}</Muted>
          </p>
          <input
            ref={picker}
            type="file"
            hidden
            data-statement-file
            accept=".json,application/json"
            onChange={(event) => {
              const [file] = event.target.files ?? [];
              event.target.value = "";
              if (file !== undefined) void read(file);
            }}
          />
          <span>
            <Button
              variant="primary"
              icon={<FileCheck2 size={16} aria-hidden />}
              onClick={() => picker.current?.click()}
            >
              {t("verify.choose")}
            </Button>
          </span>
          {shown.kind === "reading" && <Spinner />}
          {shown.kind === "unreadable" && <Banner tone="danger" title={t("verify.unreadable")} />}
        </div>
      </Card>
      {shown.kind === "checked" && (
        <CheckedStatement key={shown.check.head} name={shown.name} check={shown.check} />
      )}
    </Page>
  );
}
