import { FileDown } from "lucide-react";
import { useState } from "react";
import { useT } from "#i18n/t.ts";
import { Button } from "#ui/controls/Button.tsx";
import { Link } from "#ui/controls/Link.tsx";
import { Segmented } from "#ui/controls/Segmented.tsx";
import { saveFile } from "#ui/copy/save-file.ts";
import { Muted } from "#ui/feedback/Muted.tsx";
import { toastError } from "#ui/overlays/toast.ts";
import { readStatementFile } from "./wallet.api.ts";

/** How many days a file has; 0: all. */
const spans = ["1", "7", "30", "90", "0"] as const;
type Span = (typeof spans)[number];

const daySeconds = 86_400;

/** Saves the statement as a file that can be checked without this gateway. */
export function StatementFile() {
  const t = useT();
  const [span, setSpan] = useState<Span>("30");
  const [isReading, setReading] = useState(false);

  async function save() {
    setReading(true);
    try {
      const now = Math.floor(Date.now() / 1_000);
      // Whole days, in UTC.
      const start = span === "0" ? 0 : now - (now % daySeconds) - (Number(span) - 1) * daySeconds;
      const file = await readStatementFile(start, now + 1);
      const blob = new Blob([JSON.stringify(file, null, 1)], { type: "application/json" });
      saveFile(blob, "statement.json");
    } catch (error) {
      toastError(error);
    } finally {
      setReading(false);
    }
  }

  return (
    <section
      aria-label={t("wallet.statementFile")}
      className="mb-4 flex min-w-0 flex-wrap items-center gap-2"
    >
      <Segmented<Span>
        aria-label={t("wallet.statementSpan")}
        items={spans.map((value) => ({
          value,
          label:
            value === "0"
              ? t("wallet.statementAll")
              : t("wallet.statementDays", { count: Number(value) }),
        }))}
        value={span}
        onChange={setSpan}
      />
      <Button
        loading={isReading}
        icon={<FileDown size={16} aria-hidden />}
        onClick={() => void save()}
      >
        {t("wallet.statementFile")}
      </Button>
      <span className="text-sm">
        <Muted>{t("wallet.statementHelp")}</Muted> <Link to="/verify">{t("app.screenVerify")}</Link>
      </span>
    </section>
  );
}
