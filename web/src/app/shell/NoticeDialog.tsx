/** Shows root's notice. */

import { useT } from "#i18n/t.ts";
import { Button } from "#ui/controls/Button.tsx";
import { Markdown } from "#ui/markdown/Markdown.tsx";
import { Dialog } from "#ui/overlays/Dialog.tsx";
import { OperatorPage } from "#widgets/content/OperatorPage.tsx";
import { readOperatorText } from "#widgets/content/operator-text.ts";
import { closeNotice } from "./notice.ts";

const frameHeight = "55dvh";

export function NoticeDialog({ text }: { readonly text: string }) {
  const t = useT();
  const title = t("shell.notice");
  const content = readOperatorText(text);
  return (
    <Dialog
      open
      onClose={closeNotice}
      title={title}
      width="lg"
      footer={
        <Button variant="primary" onClick={closeNotice}>
          {t("shell.noticeRead")}
        </Button>
      }
    >
      {content.kind === "html" ? (
        <OperatorPage content={content} title={title} height={frameHeight} />
      ) : (
        // A notice that consists of an address is shown as a link: only the pages home and about
        // embed the page at such an address.
        <Markdown text={text} pictures="show" />
      )}
    </Dialog>
  );
}
