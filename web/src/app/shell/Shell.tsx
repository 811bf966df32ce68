import { lazy, type ReactNode, Suspense, useEffect } from "react";
import { loadServerMessages, useT, withTexts } from "#i18n/t.ts";
import { AppFrame } from "#ui/layout/AppFrame.tsx";
import { Brand } from "./Brand.tsx";
import { LightTools } from "./LightTools.tsx";
import { StatusNotice } from "./StatusNotice.tsx";
import { TopLinks } from "./TopLinks.tsx";
import { useStatus } from "#widgets/server/use-status.ts";
import { useScreen } from "#app/routing/use-screen.ts";

/**
 * Loads the full shell, and the translations of the server's messages, which many screens show. If
 * only the translations cannot be loaded, the messages are shown as the server wrote them.
 */
async function loadConsole() {
  const messages = loadServerMessages().catch(() => undefined);
  const loaded = await withTexts("shell", import("./ConsoleShell.tsx"));
  await messages;
  return loaded;
}

const ConsoleShell = lazy(async () => ({ default: (await loadConsole()).ConsoleShell }));

// If the footer's code cannot be loaded, the page is shown without a footer.
const Footer = lazy(async () => ({
  default: await import("./Footer.tsx").then(
    (loaded) => loaded.Footer,
    () => () => null,
  ),
}));

/**
 * The shell around every screen. The sign-in screens have a light shell that appears immediately;
 * the code of the full shell is loaded while the user types.
 */
export function Shell({ children }: { readonly children: ReactNode }) {
  const isLight = useScreen()?.frame === "light";
  return isLight ? (
    <LightShell>{children}</LightShell>
  ) : (
    <Suspense fallback={<LightFrame tools={null} />}>
      <ConsoleShell>{children}</ConsoleShell>
    </Suspense>
  );
}

function LightShell({ children }: { readonly children: ReactNode }) {
  useEffect(() => {
    // A failure to load is ignored here, because it is shown when the code is needed.
    const load = () => void loadConsole().catch(() => undefined);
    document.addEventListener("input", load, { once: true });
    return () => document.removeEventListener("input", load);
  }, []);
  return <LightFrame tools={<LightTools />}>{children}</LightFrame>;
}

/**
 * The footer of the light shell. Its code is loaded only if root has set a footer, because its HTML
 * sanitiser and frame would delay the sign-in.
 */
function LightFooter() {
  const status = useStatus();
  if (status === undefined || status.footer_html === "") return null;
  return (
    <Suspense>
      <Footer />
    </Suspense>
  );
}

function LightFrame(props: { readonly tools: ReactNode; readonly children?: ReactNode }) {
  const t = useT();
  return (
    <AppFrame
      bar={
        <>
          <Brand />
          <TopLinks isLight />
          <div className="ml-auto flex shrink-0 items-center gap-1">{props.tools}</div>
        </>
      }
      menu={null}
      notice={<StatusNotice />}
      footer={<LightFooter />}
      skipLabel={t("app.skipToContent")}
    >
      {props.children}
    </AppFrame>
  );
}
