import { Download } from "lucide-react";
import { useState } from "react";
import { useT } from "#i18n/t.ts";
import { Button } from "#ui/controls/Button.tsx";
import { Checkbox } from "#ui/controls/Checkbox.tsx";
import { CopyButton } from "#ui/copy/CopyButton.tsx";
import { saveFile } from "#ui/copy/save-file.ts";
import { Banner } from "#ui/feedback/Banner.tsx";
import { Dialog } from "#ui/overlays/Dialog.tsx";
import { useSession, useStatus } from "#widgets/server/use-status.ts";

/**
 * A dialog with recovery codes, which are shown only once. It closes when the user confirms having
 * stored them.
 */
export function SecondFactorCodes(props: {
  readonly codes: readonly string[];
  readonly onKept: () => void;
}) {
  const { codes, onKept } = props;
  const t = useT();
  const system = useStatus()?.system_name ?? "";
  const username = useSession()?.username ?? "";
  const [isKept, setKept] = useState(false);
  const [isAsked, setAsked] = useState(false);
  const close = () => {
    if (isKept) onKept();
    else setAsked(true);
  };
  const text = codes.join("\n");

  function download() {
    const head = t("security.codesFile", { system, username });
    saveFile(new Blob([`${head}\n\n${text}\n`], { type: "text/plain" }), "recovery-codes.txt");
  }

  return (
    <Dialog
      open
      onClose={close}
      title={t("security.codesTitle")}
      description={t("security.codesOnce")}
      footer={
        <Button variant="primary" onClick={close}>
          {t("security.done")}
        </Button>
      }
    >
      <div className="flex flex-col gap-4">
        {isAsked && !isKept && <Banner tone="warning" title={t("security.codesKeepFirst")} />}
        <ul
          aria-label={t("security.codes")}
          className="grid grid-cols-2 gap-x-6 gap-y-2 font-mono text-base select-all"
        >
          {codes.map((code) => (
            <li key={code}>{code}</li>
          ))}
        </ul>
        <div className="flex flex-wrap gap-2">
          <CopyButton secret text={text} label={t("security.codesCopy")} size="md" />
          <Button icon={<Download size={16} aria-hidden />} onClick={download}>
            {t("security.codesDownload")}
          </Button>
        </div>
        <Checkbox checked={isKept} onChange={setKept} label={t("security.codesKept")} />
      </div>
    </Dialog>
  );
}
