import { useT } from "#i18n/t.ts";
import { Button } from "#ui/controls/Button.tsx";
import { Banner } from "#ui/feedback/Banner.tsx";
import { OperatorPage } from "#widgets/content/OperatorPage.tsx";
import { readOperatorText } from "#widgets/content/operator-text.ts";
import { useStatus } from "#widgets/server/use-status.ts";
import { DefaultHome } from "./DefaultHome.tsx";
import { useHomeContent } from "./home.api.ts";

/** Height of the content, as a CSS value: the window without the top bar. */
const frameHeight = "calc(100dvh - 3rem)";

/**
 * `/`: the home page that root wrote; without one, the product's own. Shown without waiting for the
 * server's status.
 */
export function HomeScreen() {
  const t = useT();
  const name = useStatus()?.system_name || "Tollgate";
  const { text, error, retry } = useHomeContent();
  if (text === null) return <h1 className="sr-only">{name}</h1>;
  const content = readOperatorText(text);
  return (
    <>
      {error !== null && (
        <div className="px-4 pt-3">
          <Banner
            tone="danger"
            title={t("home.contentFailed")}
            action={
              <Button size="sm" onClick={retry}>
                {t("home.retry")}
              </Button>
            }
          />
        </div>
      )}
      {content.kind === "none" ? (
        <DefaultHome />
      ) : (
        <>
          <h1 className="sr-only">{name}</h1>
          <OperatorPage content={content} title={t("home.content")} height={frameHeight} />
        </>
      )}
    </>
  );
}
